//! The network between a machine and the database: a connection to a real SQLite file whose transactions may fail, or be
//! committed although nobody hears of it. Nothing else runs during a transaction, so two never conflict.

use super::scheduler::SECOND;
use super::site::{Fate, here, site};
use crate::account::store::{Access, Database, Row, StoreFault, Value};

/// Puts the network before a database; outside of a simulation the database stays as it is.
pub fn simulate(database: Box<dyn Database>) -> Box<dyn Database> {
    match site() {
        Some(_) => Box::new(RemoteDatabase { database, loses_answer: false }),
        None => database,
    }
}

#[derive(Debug)]
struct RemoteDatabase {
    database: Box<dyn Database>,
    /// Whether the answer to the next commit is lost.
    loses_answer: bool,
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
}

impl Database for RemoteDatabase {
    fn execute(&mut self, sql: &str, parameters: &[Value]) -> Result<u64, StoreFault> {
        self.database.execute(sql, parameters)
    }

    fn query(&mut self, sql: &str, parameters: &[Value]) -> Result<Vec<Row>, StoreFault> {
        self.database.query(sql, parameters)
    }

    fn begin(&mut self, access: Access) -> Result<(), StoreFault> {
        self.travel()?;
        self.database.begin(access)
    }

    fn commit(&mut self) -> Result<(), StoreFault> {
        self.database.commit()?;
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
        self.database.rollback();
    }

    fn reopen(&mut self) -> Result<(), StoreFault> {
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
