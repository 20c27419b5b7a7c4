//! The store in a PostgreSQL database: for several servers that share their accounts.
//!
//! The server cancels a statement after [`STATEMENT_TIME_MAX`]; a connection whose server is silent is dropped after
//! [`ANSWER_TIME_MAX`], and the next transaction reconnects. Each connection blocks on a runtime of its own: calls
//! from a thread that drives another runtime panic. Writes run side by side, ordered by the rows that they lock.

mod lock;

use std::collections::HashMap;
use std::error::Error;
use std::time::Duration;

use bytes::BytesMut;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::runtime::Runtime;
use tokio_postgres::error::SqlState;
use tokio_postgres::types::{FromSql, IsNull, ToSql, Type, to_sql_checked};
use tokio_postgres::{Client, NoTls, Statement};
use tokio_postgres_rustls::MakeRustlsConnect;

use super::database::{
    Access, COUNT, Database, IfMissing, OLDER_PROGRAMS, SCHEMA_MIN, Schema, in_postgres_sql,
};
use super::error::StoreFault;
use super::location::ServerAddress;
use super::value::{Row, Value};
use crate::tls;

pub use lock::NamedLock;

const CONNECT_TIME_MAX: Duration = Duration::from_secs(5);

/// How long a statement waits for a row that another transaction holds.
const LOCK_TIME_MAX: Duration = Duration::from_secs(5);

const STATEMENT_TIME_MAX: Duration = Duration::from_secs(10);

/// How long to wait for the server to answer at all.
const ANSWER_TIME_MAX: Duration = Duration::from_secs(12);

/// Prepared statements cached; at this number the cache is emptied.
const STATEMENTS_KEPT: usize = 256;

/// The advisory lock of migrations: `dcho`.
const MIGRATION_LOCK: i32 = i32::from_be_bytes(*b"dcho");

#[derive(Debug)]
pub(super) struct PostgresDatabase {
    address: ServerAddress,
    /// `None` only while it is dropped.
    runtime: Option<Runtime>,
    connection: Option<Connection>,
    transaction: Transaction,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Transaction {
    None,
    Open,
    /// A statement failed: the server will roll back, and a COMMIT would not report that.
    Broken,
}

struct Connection {
    client: Client,
    statements: HashMap<String, Statement>,
}

impl std::fmt::Debug for Connection {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Connection").field("closed", &self.client.is_closed()).finish()
    }
}

impl PostgresDatabase {
    pub fn open(
        address: &ServerAddress,
        if_missing: IfMissing,
    ) -> Result<PostgresDatabase, StoreFault> {
        let mut database = PostgresDatabase::new(address)?;
        if database.inspect()? == Schema::Absent && if_missing == IfMissing::Refuse {
            return Err(StoreFault::EmptyDatabase);
        }
        database.migrate()?;
        Ok(database)
    }

    /// Opens a store without migrating it, and returns its schema.
    pub fn open_unchanged(
        address: &ServerAddress,
    ) -> Result<(PostgresDatabase, Schema), StoreFault> {
        let mut database = PostgresDatabase::new(address)?;
        match database.inspect()? {
            Schema::Absent => Err(StoreFault::EmptyDatabase),
            schema => Ok((database, schema)),
        }
    }

    /// A database that connects at its first statement. Does not check the schema.
    fn new(address: &ServerAddress) -> Result<PostgresDatabase, StoreFault> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        Ok(PostgresDatabase {
            address: address.clone(),
            runtime: Some(runtime.map_err(StoreFault::Io)?),
            connection: None,
            transaction: Transaction::None,
        })
    }

    /// Runs `work` on the connection, which it makes if there is none.
    fn run<T>(
        &mut self,
        work: impl AsyncFnOnce(&mut Connection) -> Result<T, tokio_postgres::Error>,
    ) -> Result<T, StoreFault> {
        let runtime = self.runtime.as_ref().expect("present until dropped");
        if self.connection.is_none() {
            if self.transaction != Transaction::None {
                self.transaction = Transaction::Broken;
                return Err(StoreFault::Unreachable("the connection was lost".to_owned()));
            }
            self.connection = Some(runtime.block_on(connect(&self.address))?);
        }
        let connection = self.connection.as_mut().expect("connected above");
        let result = runtime
            .block_on(async { tokio::time::timeout(ANSWER_TIME_MAX, work(connection)).await });
        if self.transaction == Transaction::Open && !matches!(result, Ok(Ok(_))) {
            self.transaction = Transaction::Broken;
        }
        match result {
            Ok(Ok(value)) => Ok(value),
            Ok(Err(error)) => {
                if error.is_closed() || connection.client.is_closed() {
                    self.connection = None;
                }
                Err(store_fault(&error))
            }
            Err(_elapsed) => {
                self.connection = None;
                Err(StoreFault::Slow(ANSWER_TIME_MAX.as_secs()))
            }
        }
    }

    fn batch(&mut self, sql: &str) -> Result<(), StoreFault> {
        self.run(async |connection| connection.client.batch_execute(sql).await)
    }

    /// The schema of the database; fails for databases of other programs and of later versions.
    fn inspect(&mut self) -> Result<Schema, StoreFault> {
        let sql = "SELECT current_schema() IS NOT NULL, \
             (SELECT count(*) FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace \
              WHERE nspname = current_schema() AND relkind IN ('r', 'p', 'v', 'm')), \
             (SELECT count(*) FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace \
              WHERE nspname = current_schema() AND relname = 'daicho_schema'), \
             (SELECT count(*) FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace \
              WHERE nspname = current_schema() AND relname = CAST($1 AS TEXT))";
        let rows = self.query(sql, &[OLDER_PROGRAMS.into()])?;
        let row = rows.first().ok_or(StoreFault::NoSchema)?;
        let (schema, tables, ours): (bool, i64, i64) = (row.get(0)?, row.get(1)?, row.get(2)?);
        match (schema, tables, ours) {
            (false, ..) => Err(StoreFault::NoSchema),
            (true, 0, _) => Ok(Schema::Absent),
            (true, tables, 0) => Err(StoreFault::OtherTables { tables }),
            (true, ..) => {
                let number = self.first_number("SELECT applied FROM daicho_schema")?;
                let has_minimum = row.get::<i64>(3)? > 0;
                let schema_min = if has_minimum { self.first_number(SCHEMA_MIN)? } else { None };
                Schema::numbered(number.unwrap_or(0), schema_min)
            }
        }
    }

    /// The number in the first row, if there is one.
    fn first_number(&mut self, sql: &str) -> Result<Option<i64>, StoreFault> {
        let rows = self.query(sql, &[])?;
        rows.first().map(|row| row.get(0)).transpose()
    }

    fn migrate(&mut self) -> Result<(), StoreFault> {
        if self.inspect()?.due().is_empty() {
            return Ok(());
        }
        self.begin(Access::Write)?;
        let migrated = self.apply_due().and_then(|()| self.commit());
        if migrated.is_err() {
            self.rollback();
        }
        migrated
    }

    fn apply_due(&mut self) -> Result<(), StoreFault> {
        self.batch(&format!("SELECT pg_advisory_xact_lock({MIGRATION_LOCK})"))?;
        let due = self.inspect()?.due();
        if due.is_empty() {
            // Another process has migrated it meanwhile.
            return Ok(());
        }
        for migration in due {
            self.batch(&in_postgres_sql(migration))?;
        }
        self.batch(&format!(
            "CREATE TABLE IF NOT EXISTS daicho_schema (applied BIGINT NOT NULL); \
             DELETE FROM daicho_schema; INSERT INTO daicho_schema VALUES ({COUNT})"
        ))
    }
}

impl Drop for PostgresDatabase {
    fn drop(&mut self) {
        self.connection = None;
        if let Some(runtime) = self.runtime.take() {
            // Does not wait: threads that drive requests must not.
            runtime.shutdown_background();
        }
    }
}

impl Connection {
    async fn prepared(&mut self, sql: &str) -> Result<Statement, tokio_postgres::Error> {
        if let Some(known) = self.statements.get(sql) {
            return Ok(known.clone());
        }
        let statement = self.client.prepare(sql).await?;
        if self.statements.len() >= STATEMENTS_KEPT {
            self.statements.clear();
        }
        self.statements.insert(sql.to_owned(), statement.clone());
        Ok(statement)
    }
}

impl Database for PostgresDatabase {
    fn execute(&mut self, sql: &str, parameters: &[Value]) -> Result<u64, StoreFault> {
        self.run(async |connection| {
            let statement = connection.prepared(sql).await?;
            connection.client.execute(&statement, &as_sql_parameters(parameters)).await
        })
    }

    fn query(&mut self, sql: &str, parameters: &[Value]) -> Result<Vec<Row>, StoreFault> {
        let rows = self.run(async |connection| {
            let statement = connection.prepared(sql).await?;
            connection.client.query(&statement, &as_sql_parameters(parameters)).await
        })?;
        rows.iter().map(read_row).collect()
    }

    fn begin(&mut self, access: Access) -> Result<(), StoreFault> {
        let sql = match access {
            Access::Read => "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY",
            // Relaxed writes wait for the disk too: a crash of the database server alone would lose them.
            Access::Write | Access::RelaxedWrite => "BEGIN",
        };
        if self.transaction != Transaction::None {
            let message = "tried to begin a transaction inside another one; please report this";
            return Err(StoreFault::Postgres(message.to_owned()));
        }
        let mut result = self.batch(sql);
        if result.is_err() && self.connection.is_none() {
            // The connection was lost while it was idle; nothing was done in this transaction yet.
            result = self.batch(sql);
        }
        if result.is_ok() {
            self.transaction = Transaction::Open;
        }
        result
    }

    fn commit(&mut self) -> Result<(), StoreFault> {
        if self.transaction == Transaction::Broken {
            let message = "tried to commit a failed transaction; please report this";
            return Err(StoreFault::Postgres(message.to_owned()));
        }
        let result = self.batch("COMMIT");
        if result.is_ok() {
            self.transaction = Transaction::None;
        }
        result
    }

    fn rollback(&mut self) {
        let is_open = self.transaction != Transaction::None && self.connection.is_some();
        if is_open && self.batch("ROLLBACK").is_err() {
            // The server rolls back the transaction of a lost connection.
            self.connection = None;
        }
        self.transaction = Transaction::None;
    }

    fn reopen(&mut self) -> Result<(), StoreFault> {
        self.connection = None;
        self.transaction = Transaction::None;
        match self.inspect()? {
            Schema::Absent => Err(StoreFault::EmptyDatabase),
            Schema::At(_) => self.migrate(),
        }
    }

    fn last_number(&mut self, table: &str) -> Result<i64, StoreFault> {
        let sql = "SELECT COALESCE(pg_sequence_last_value(\
                   CAST(pg_get_serial_sequence(CAST($1 AS TEXT), 'id') AS REGCLASS)), 0)";
        let rows = self.query(sql, &[table.into()])?;
        rows.first().map_or(Ok(0), |row| row.get(0))
    }

    fn raise_last_number(&mut self, table: &str, number: i64) -> Result<(), StoreFault> {
        let number = self.last_number(table)?.max(number);
        let sql =
            "SELECT setval(CAST(pg_get_serial_sequence(CAST($1 AS TEXT), 'id') AS REGCLASS), $2)";
        self.query(sql, &[table.into(), number.into()]).map(drop)
    }

    fn lock_tables(&mut self, tables: &[&str]) -> Result<(), StoreFault> {
        self.batch(&format!("LOCK TABLE {} IN EXCLUSIVE MODE", tables.join(", ")))
    }

    fn insert_rows_max(&self) -> usize {
        // Each statement costs a round trip.
        200
    }

    fn unnest(&self, parameter: &str) -> String {
        format!("(SELECT value FROM unnest(CAST({parameter} AS BIGINT[])) AS listed (value))")
    }

    fn skip_locked(&self) -> &'static str {
        "FOR UPDATE SKIP LOCKED"
    }
}

fn as_sql_parameters(parameters: &[Value]) -> Vec<&(dyn ToSql + Sync)> {
    parameters.iter().map(|value| value as &(dyn ToSql + Sync)).collect()
}

fn read_row(row: &tokio_postgres::Row) -> Result<Row, StoreFault> {
    let values = (0..row.len()).map(|at| row.try_get(at));
    values.collect::<Result<_, _>>().map(Row).map_err(|error| store_fault(&error))
}

async fn connect(address: &ServerAddress) -> Result<Connection, StoreFault> {
    let connection = async {
        let client = if address.encrypted {
            let tls = MakeRustlsConnect::new(tls::client_config()?);
            spawn_connection(address.config.connect(tls).await)?
        } else {
            spawn_connection(address.config.connect(NoTls).await)?
        };
        let settings = format!(
            "SET statement_timeout = {}; SET lock_timeout = {}; \
             SET idle_in_transaction_session_timeout = {}",
            STATEMENT_TIME_MAX.as_millis(),
            LOCK_TIME_MAX.as_millis(),
            2 * STATEMENT_TIME_MAX.as_millis(),
        );
        client.batch_execute(&settings).await.map_err(|error| store_fault(&error))?;
        Ok(Connection { client, statements: HashMap::new() })
    };
    match tokio::time::timeout(CONNECT_TIME_MAX, connection).await {
        Ok(result) => result,
        Err(_elapsed) => Err(StoreFault::Slow(CONNECT_TIME_MAX.as_secs())),
    }
}

/// Starts a task that drives the connection until its client is dropped.
fn spawn_connection<S, T>(
    result: Result<(Client, tokio_postgres::Connection<S, T>), tokio_postgres::Error>,
) -> Result<Client, StoreFault>
where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
    T: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let (client, connection) = result.map_err(|error| store_fault(&error))?;
    tokio::spawn(connection);
    Ok(client)
}

fn store_fault(error: &tokio_postgres::Error) -> StoreFault {
    let Some(server_error) = error.as_db_error() else { return client_fault(error) };
    let message = server_error.message().to_owned();
    match *server_error.code() {
        SqlState::LOCK_NOT_AVAILABLE => StoreFault::Busy(LOCK_TIME_MAX.as_secs()),
        SqlState::T_R_DEADLOCK_DETECTED | SqlState::T_R_SERIALIZATION_FAILURE => {
            StoreFault::Conflict
        }
        SqlState::QUERY_CANCELED => StoreFault::Slow(STATEMENT_TIME_MAX.as_secs()),
        SqlState::DISK_FULL => StoreFault::Full,
        SqlState::READ_ONLY_SQL_TRANSACTION => StoreFault::ReadOnlyServer,
        SqlState::INSUFFICIENT_PRIVILEGE
        | SqlState::INVALID_PASSWORD
        | SqlState::INVALID_AUTHORIZATION_SPECIFICATION
        | SqlState::INVALID_CATALOG_NAME => StoreFault::Refused(message),
        SqlState::ADMIN_SHUTDOWN
        | SqlState::CRASH_SHUTDOWN
        | SqlState::CANNOT_CONNECT_NOW
        | SqlState::TOO_MANY_CONNECTIONS => StoreFault::Unreachable(message),
        _ => StoreFault::Postgres(message),
    }
}

/// The fault for an error that the server did not report: nearly always the connection failed.
fn client_fault(error: &tokio_postgres::Error) -> StoreFault {
    let text = error.to_string();
    let is_conversion =
        text.starts_with("error serializing") || text.starts_with("error deserializing");
    let mut message = text;
    let mut source = std::error::Error::source(error);
    while let Some(cause) = source {
        let cause_text = cause.to_string();
        if !message.contains(&cause_text) {
            message = format!("{message}: {cause_text}");
        }
        source = cause.source();
    }
    if is_conversion { StoreFault::Postgres(message) } else { StoreFault::Unreachable(message) }
}

impl ToSql for Value {
    fn to_sql(
        &self,
        of: &Type,
        out: &mut BytesMut,
    ) -> Result<IsNull, Box<dyn Error + Sync + Send>> {
        match (self, of) {
            (Value::Null, _) => Ok(IsNull::Yes),
            (Value::Integer(number), &Type::INT4) => i32::try_from(*number)?.to_sql(of, out),
            (Value::Integer(number), &Type::INT8) => number.to_sql(of, out),
            (Value::Text(text), &Type::TEXT | &Type::VARCHAR) => text.to_sql(of, out),
            (Value::Bytes(bytes), &Type::BYTEA) => bytes.to_sql(of, out),
            (Value::Integers(numbers), &Type::INT8_ARRAY) => numbers.to_sql(of, out),
            (value, of) => Err(format!("expected {of}, found {value:?}").into()),
        }
    }

    /// Accepts every type: which value goes where is known only in `to_sql`.
    fn accepts(_of: &Type) -> bool {
        true
    }

    to_sql_checked!();
}

impl FromSql<'_> for Value {
    fn from_sql(of: &Type, raw: &[u8]) -> Result<Value, Box<dyn Error + Sync + Send>> {
        Ok(match *of {
            Type::INT8 => Value::Integer(i64::from_sql(of, raw)?),
            Type::INT4 => Value::Integer(i32::from_sql(of, raw)?.into()),
            Type::BOOL => Value::from(bool::from_sql(of, raw)?),
            Type::BYTEA => Value::Bytes(raw.to_vec()),
            _ => Value::Text(String::from_sql(of, raw)?),
        })
    }

    fn from_sql_null(_of: &Type) -> Result<Value, Box<dyn Error + Sync + Send>> {
        Ok(Value::Null)
    }

    fn accepts(of: &Type) -> bool {
        let known = [Type::INT8, Type::INT4, Type::BOOL, Type::BYTEA];
        known.contains(of) || <String as FromSql>::accepts(of)
    }
}
