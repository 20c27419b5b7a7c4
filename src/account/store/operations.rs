//! What operators did, at the dashboard and at the command line, in the store. For people who ask later who changed what:
//! it holds no secrets, and nothing reads it to decide anything.
//!
//! An operation is written after the change that it names, in a transaction of its own: after a crash in between it may
//! be missing.

use jiff::{SignedDuration, Timestamp};

use super::Store;
use super::error::{StoreFault, StoreResult};
use super::value::{FromValue, Value, from_text};
use crate::text::named_enum::named_enum;

/// How long operations are kept.
const KEPT: SignedDuration = SignedDuration::from_hours(366 * 24);

named_enum! {
    fn as_str;
    /// Where an operator works.
    pub enum OperatedAt {
        Dashboard = "dashboard",
        CommandLine = "command line",
    }
}

from_text! {
    OperatedAt, "where an operator works", OperatedAt::parse;
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Operation {
    pub done_at: Timestamp,
    /// The client's address, or the user of the operating system.
    pub actor: String,
    pub place: OperatedAt,
    /// What was done, such as `key revoke`.
    pub action: String,
    /// The name of the account that it was done to.
    pub account: Option<String>,
    /// What of the account, such as the number of a key.
    pub subject: Option<String>,
}

impl Store {
    /// Adds an operation, and removes those of more than a year ago.
    pub fn add_operation(&mut self, operation: &Operation) -> StoreResult {
        let Operation { done_at, actor, place, action, account, subject } = operation;
        self.write(|tx| {
            let sql = "DELETE FROM operation WHERE done_at < $1";
            tx.execute(sql, &[done_at.saturating_sub(KEPT).unwrap_or(*done_at).into()])?;
            let sql = "INSERT INTO operation (done_at, actor, place, action, account, subject) \
                       VALUES ($1, $2, $3, $4, $5, $6)";
            let values = [
                Value::from(*done_at),
                actor.as_str().into(),
                place.as_str().into(),
                action.as_str().into(),
                account.as_deref().into(),
                subject.as_deref().into(),
            ];
            tx.execute(sql, &values).map(drop)
        })
    }

    /// The newest operations, the newest first.
    pub fn operations(&mut self, limit: u32) -> StoreResult<Vec<Operation>> {
        self.read(|tx| {
            let sql = "SELECT done_at, actor, place, action, account, subject FROM operation \
                       ORDER BY id DESC LIMIT $1";
            tx.rows(sql, &[limit.into()], |row| {
                Ok(Operation {
                    done_at: row.get(0)?,
                    actor: row.get(1)?,
                    place: row.get(2)?,
                    action: row.get(3)?,
                    account: row.get(4)?,
                    subject: row.get(5)?,
                })
            })
        })
    }
}
