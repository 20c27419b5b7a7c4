//! A running transaction: runs statements, and names the store in every error.

use super::database::Database;
use super::error::{StoreError, StoreFault};
use super::location::StoreLocation;
use super::value::{Row, Value};

#[derive(Debug)]
pub struct Transaction<'s> {
    pub(super) location: &'s StoreLocation,
    pub(super) database: &'s mut dyn Database,
}

impl Transaction<'_> {
    /// Runs a statement that returns no rows; returns how many rows it changed.
    pub fn execute(&mut self, sql: &str, parameters: &[Value]) -> Result<u64, StoreError> {
        self.database.execute(sql, parameters).map_err(|fault| self.unusable(fault))
    }

    /// All rows of a query, each read by `read`.
    pub fn rows<T>(
        &mut self,
        sql: &str,
        parameters: &[Value],
        read: impl FnMut(&Row) -> Result<T, StoreFault>,
    ) -> Result<Vec<T>, StoreError> {
        let rows = self.database.query(sql, parameters);
        rows.and_then(|rows| rows.iter().map(read).collect()).map_err(|fault| self.unusable(fault))
    }

    /// The first row of a query, if it has any.
    pub fn row<T>(
        &mut self,
        sql: &str,
        parameters: &[Value],
        read: impl FnMut(&Row) -> Result<T, StoreFault>,
    ) -> Result<Option<T>, StoreError> {
        Ok(self.rows(sql, parameters, read)?.into_iter().next())
    }

    /// The number in the first column of the first row; 0 without a row.
    pub fn count(&mut self, sql: &str, parameters: &[Value]) -> Result<u64, StoreError> {
        Ok(self.row(sql, parameters, |row| row.get(0))?.unwrap_or(0))
    }

    /// See [`Database::unnest`].
    pub fn unnest(&self, parameter: &str) -> String {
        self.database.unnest(parameter)
    }

    /// See [`Database::skip_locked`].
    pub fn skip_locked(&self) -> &'static str {
        self.database.skip_locked()
    }

    fn unusable(&self, fault: StoreFault) -> StoreError {
        StoreError::Unusable { location: self.location.clone(), fault }
    }
}
