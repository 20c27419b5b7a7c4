//! Why the evaluation of a query ended without an answer: damaged data, or the end of its [budget](crate::work).

use std::sync::Arc;

use crate::snapshot::{Fault, OpenError, SnapshotFile};
use crate::work::StopReason;

/// Why an evaluation ended early.
#[derive(Debug, thiserror::Error)]
#[error(transparent)]
pub enum EvaluationError {
    /// A fault that does not name its file yet.
    Fault(#[from] Fault),
    Damaged(#[from] Arc<OpenError>),
    Stopped(#[from] StopReason),
}

/// Why a query has no answer.
#[derive(Debug, Clone, thiserror::Error)]
#[error(transparent)]
pub enum QueryError {
    Damaged(#[from] Arc<OpenError>),
    Stopped(#[from] StopReason),
}

impl EvaluationError {
    /// Adds the name of the file that was read.
    pub fn in_file(self, file: &SnapshotFile) -> QueryError {
        match self {
            EvaluationError::Fault(fault) => QueryError::Damaged(Arc::new(file.refuse(fault))),
            EvaluationError::Damaged(error) => QueryError::Damaged(error),
            EvaluationError::Stopped(stop) => QueryError::Stopped(stop),
        }
    }
}

impl QueryError {
    /// The error of work without limit and cancellation, which can only be damage.
    pub fn expect_damage(self) -> Arc<OpenError> {
        match self {
            QueryError::Damaged(error) => error,
            QueryError::Stopped(stop) => unreachable!("unlimited work ended: {stop:?}"),
        }
    }
}
