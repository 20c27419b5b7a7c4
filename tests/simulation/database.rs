//! The network between a machine and the database: a connection to a real SQLite file whose transactions may fail, or be
//! committed although nobody hears of it.
//!
//! In some runs every statement is a request of its own: others run in between, the connection may be lost, the machine
//! may die, and the database may end a transaction because of another one. One transaction writes at a time, as in
//! SQLite; the others wait for it. Elsewhere nothing else runs during a transaction.

use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use super::scheduler::{MILLISECOND, SECOND, Time};
use super::site::{Fate, here, site};
use crate::account::store::{Access, Database, Row, StoreFault, Value};

/// How long a transaction waits for another one that writes.
const BUSY_TIME: Time = 5 * SECOND;

/// The longest way of a statement in a transaction, there and back.
const STATEMENT_TIME_MAX: Time = 4 * MILLISECOND;

/// Of a hundred transactions that write, so many end because of another one.
const CONFLICTS: u64 = 2;

/// Whose turn it is to write.
#[derive(Debug, Default)]
pub struct DatabaseTurns {
    overlaps: AtomicBool,
    is_writing: AtomicBool,
}

impl DatabaseTurns {
    /// From now on a transaction takes several requests.
    pub fn set_overlaps(&self) {
        self.overlaps.store(true, Relaxed);
    }
}

/// Puts the network before a database; outside of a simulation the database stays as it is.
pub fn simulate(database: Box<dyn Database>) -> Box<dyn Database> {
    match site() {
        Some(_) => Box::new(RemoteDatabase {
            database,
            loses_answer: false,
            is_writing: false,
            conflicts: false,
            is_lost: false,
        }),
        None => database,
    }
}

#[derive(Debug)]
struct RemoteDatabase {
    database: Box<dyn Database>,
    /// Whether the answer to the next commit is lost.
    loses_answer: bool,
    /// Whether it is this connection's turn to write.
    is_writing: bool,
    /// Whether the database ends this transaction at one of its statements.
    conflicts: bool,
    /// Whether the connection was lost in this transaction.
    is_lost: bool,
}

fn unreachable() -> StoreFault {
    StoreFault::Unreachable("no answer".to_owned())
}

impl RemoteDatabase {
    fn travel(&mut self) -> Result<(), StoreFault> {
        let (own, site) = here();
        if own.is_unwinding() {
            return Err(unreachable());
        }
        self.loses_answer = false;
        match site.travel(&own) {
            Fate::Answered | Fate::Repeated => Ok(()),
            Fate::AnswerLost => {
                self.loses_answer = true;
                Ok(())
            }
            fate @ (Fate::Lost | Fate::Late | Fate::Refused) => {
                own.scheduler.note(own.machine, "transaction", &format!("{fate:?}"));
                own.pause_for(SECOND);
                Err(unreachable())
            }
        }
    }

    /// Waits until no other transaction writes.
    fn take_turn(&mut self) -> Result<(), StoreFault> {
        let (own, site) = here();
        if !site.database.overlaps.load(Relaxed) {
            return Ok(());
        }
        let deadline = own.scheduler.now() + BUSY_TIME;
        while site.database.is_writing.swap(true, Relaxed) {
            if own.scheduler.now() > deadline {
                own.scheduler.note(own.machine, "transaction", "waits for too long");
                return Err(StoreFault::Busy(BUSY_TIME / SECOND));
            }
            own.pause_for(MILLISECOND);
        }
        self.is_writing = true;
        self.conflicts = own.scheduler.with_random(|random| random.percent(CONFLICTS));
        Ok(())
    }

    fn end_turn(&mut self) {
        if std::mem::take(&mut self.is_writing)
            && let Some(site) = site()
        {
            site.database.is_writing.store(false, Relaxed);
        }
    }

    /// The way of a statement, on which others run.
    fn statement(&mut self) -> Result<(), StoreFault> {
        let (own, site) = here();
        if !site.database.overlaps.load(Relaxed) {
            return Ok(());
        }
        if self.is_lost || own.is_unwinding() {
            return Err(unreachable());
        }
        own.pause_for(own.scheduler.with_random(|random| random.between(1, STATEMENT_TIME_MAX)));
        let (faults, is_cut) =
            site.with(own.machine, |state| (state.network.faults, state.network.is_cut));
        if is_cut || own.scheduler.with_random(|random| random.percent(faults / 8)) {
            own.scheduler.note(own.machine, "transaction", "loses its connection");
            site.trouble(own.machine, own.scheduler.now(), 20 * SECOND);
            self.roll_back();
            self.is_lost = true;
            own.pause_for(SECOND);
            return Err(unreachable());
        }
        if self.conflicts && own.scheduler.with_random(|random| random.percent(50)) {
            own.scheduler.note(own.machine, "transaction", "ends because of another");
            self.conflicts = false;
            return Err(StoreFault::Conflict);
        }
        Ok(())
    }

    fn roll_back(&mut self) {
        self.database.rollback();
        self.end_turn();
    }
}

/// A machine that dies leaves no transaction behind.
impl Drop for RemoteDatabase {
    fn drop(&mut self) {
        if self.is_writing {
            self.roll_back();
        }
    }
}

impl Database for RemoteDatabase {
    fn execute(&mut self, sql: &str, parameters: &[Value]) -> Result<u64, StoreFault> {
        self.statement()?;
        self.database.execute(sql, parameters)
    }

    fn query(&mut self, sql: &str, parameters: &[Value]) -> Result<Vec<Row>, StoreFault> {
        self.statement()?;
        self.database.query(sql, parameters)
    }

    fn begin(&mut self, access: Access) -> Result<(), StoreFault> {
        self.is_lost = false;
        self.travel()?;
        if access != Access::Read {
            self.take_turn()?;
        }
        self.database.begin(access).inspect_err(|_| self.end_turn())
    }

    fn commit(&mut self) -> Result<(), StoreFault> {
        self.statement()?;
        self.database.commit()?;
        self.end_turn();
        let (own, site) = here();
        own.scheduler.note(own.machine, "transaction", "");
        if self.loses_answer {
            site.lost_answer(&own);
            return Err(unreachable());
        }
        site.travel_back(&own);
        Ok(())
    }

    fn rollback(&mut self) {
        self.roll_back();
    }

    fn reopen(&mut self) -> Result<(), StoreFault> {
        self.is_lost = false;
        self.travel()?;
        self.database.reopen()
    }

    fn last_number(&mut self, table: &str) -> Result<i64, StoreFault> {
        self.database.last_number(table)
    }

    fn raise_last_number(&mut self, table: &str, number: i64) -> Result<(), StoreFault> {
        self.database.raise_last_number(table, number)
    }

    fn lock_tables(&mut self, tables: &[&str]) -> Result<(), StoreFault> {
        self.database.lock_tables(tables)
    }

    fn insert_rows_max(&self) -> usize {
        self.database.insert_rows_max()
    }

    fn unnest(&self, parameter: &str) -> String {
        self.database.unnest(parameter)
    }

    fn skip_locked(&self) -> &'static str {
        self.database.skip_locked()
    }
}
