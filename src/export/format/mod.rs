//! The formats that rows are written in.

pub mod csv;
mod json_lines;
mod parquet;
mod sqlite;

pub use self::csv::Csv;
pub use self::json_lines::JsonLines;
pub use self::parquet::Parquet;
pub use self::sqlite::Sqlite;
