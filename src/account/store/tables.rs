//! The tables of the store, as the migrations make them: an empty database of SQLite in memory gets all migrations and is
//! asked for its schema. So a new table or column needs no second list.

use rusqlite::Connection;

use super::database::{MIGRATIONS, OLDER_PROGRAMS};
use super::error::StoreFault;

/// Not content: a number that changes with the rights, and only with them.
const COUNTER: &str = "rights";

/// Neither is what belongs to the schema.
const NOT_CONTENT: [&str; 2] = [COUNTER, OLDER_PROGRAMS];

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Table {
    pub name: String,
    pub columns: Vec<Column>,
    /// The columns of the primary key; none if the table has no key.
    pub key: Vec<String>,
    /// Whether the database numbers the rows and gives no number twice.
    pub is_numbered: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Column {
    pub name: String,
    pub kind: ColumnKind,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ColumnKind {
    Integer,
    Text,
    Bytes,
}

impl Table {
    /// The columns, separated by commas.
    pub fn column_list(&self) -> String {
        self.columns.iter().map(|column| column.name.as_str()).collect::<Vec<_>>().join(", ")
    }
}

/// All tables with content: a table stands after those that it refers to.
pub fn tables() -> Result<Vec<Table>, StoreFault> {
    read_schema().map_err(StoreFault::Sqlite)
}

fn read_schema() -> Result<Vec<Table>, rusqlite::Error> {
    let connection = Connection::open_in_memory()?;
    MIGRATIONS.iter().try_for_each(|migration| connection.execute_batch(migration))?;
    let sql = "SELECT name, sql FROM sqlite_schema \
               WHERE type = 'table' AND name NOT LIKE 'sqlite%' AND name NOT IN (?1, ?2) ORDER BY rowid";
    let mut statement = connection.prepare(sql)?;
    let named = statement.query_map(NOT_CONTENT, |row| Ok((row.get(0)?, row.get(1)?)))?;
    let named: Vec<(String, String)> = named.collect::<Result<_, _>>()?;
    named.into_iter().map(|(name, sql)| table(&connection, name, &sql)).collect()
}

fn table(connection: &Connection, name: String, sql: &str) -> Result<Table, rusqlite::Error> {
    let mut statement =
        connection.prepare("SELECT name, type, pk FROM pragma_table_info(?1) ORDER BY cid")?;
    let rows = statement.query_map([&name], |row| {
        let kind: String = row.get(1)?;
        let kind = match kind.as_str() {
            "TEXT" => ColumnKind::Text,
            "BLOB" => ColumnKind::Bytes,
            _ => ColumnKind::Integer,
        };
        Ok((Column { name: row.get(0)?, kind }, row.get::<_, i64>(2)?))
    })?;
    let rows: Vec<(Column, i64)> = rows.collect::<Result<_, _>>()?;
    let mut key: Vec<(i64, String)> = rows
        .iter()
        .filter(|(_column, place)| *place > 0)
        .map(|(column, place)| (*place, column.name.clone()))
        .collect();
    key.sort();
    Ok(Table {
        name,
        columns: rows.into_iter().map(|(column, _place)| column).collect(),
        key: key.into_iter().map(|(_place, name)| name).collect(),
        is_numbered: sql.contains("AUTOINCREMENT"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_are_those_of_the_migrations_in_an_order_in_which_they_can_be_filled() {
        let tables = tables().expect("a schema");
        let place = |name: &str| tables.iter().position(|table| table.name == name).expect(name);
        for table in &tables {
            assert!(!table.columns.is_empty(), "{table:?}");
            if table.name != "account" && table.columns.iter().any(|it| it.name == "account_id") {
                assert!(place("account") < place(&table.name), "{}", table.name);
            }
        }
        assert!(
            place("api_key") < place("key_origin") && place("delivery") < place("delivery_attempt")
        );
        let account = &tables[place("account")];
        assert!(account.is_numbered && account.key == ["id"]);
        let origin = &tables[place("key_origin")];
        assert!(!origin.is_numbered && origin.key == ["key_id", "origin"]);
        let key = &tables[place("api_key")];
        let kind = |name: &str| key.columns.iter().find(|it| it.name == name).map(|it| it.kind);
        assert_eq!(kind("hash"), Some(ColumnKind::Bytes));
        assert_eq!(
            (kind("beginning"), kind("id")),
            (Some(ColumnKind::Text), Some(ColumnKind::Integer))
        );
        assert_eq!(kind("disabled_by"), Some(ColumnKind::Text), "of a later migration");
        assert!(tables.iter().all(|table| !NOT_CONTENT.contains(&table.name.as_str())));
    }
}
