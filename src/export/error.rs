//! Why records cannot be exported.

use std::{io, sync::Arc};

use crate::query::syntax::SyntaxError;
use crate::snapshot::OpenError;

#[derive(Debug, thiserror::Error)]
pub enum ExportError {
    #[error("expected columns of {dataset}: {}; found '{found}'", .columns.join(", "))]
    UnknownColumn { dataset: &'static str, columns: Vec<&'static str>, found: String },
    #[error("the column '{name}' is named twice; name each column once")]
    ColumnTwice { name: String },
    #[error(transparent)]
    Query(#[from] SyntaxError),
    #[error(transparent)]
    Snapshot(#[from] Arc<OpenError>),
    #[error("{0}")]
    Write(#[from] io::Error),
}
