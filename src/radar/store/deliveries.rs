//! The queue of deliveries: made by a match, a test or by hand, claimed, tried, finished.
//!
//! A claim ends by itself: a server that dies with claims leaves them to whoever comes next after
//! [`Claim::until`], under the same id. Every attempt leaves a record.

use std::collections::HashMap;

use jiff::Timestamp;

use super::webhooks::{self, Webhook, webhook_of};
use crate::account::store::accounts::{bad_value, name_of};
use crate::account::store::{Row, Session, Store, StoreError, StoreFault, Value};
use crate::account::{AccountId, AccountName};
use crate::radar::webhook::DeliveryId;
use crate::radar::webhook::schedule::{Next, TRIED_SECONDS};
use crate::text::codes::DataVersion;

/// Deliveries that a statement names.
const AT_ONCE_MAX: usize = 256;

/// How many due deliveries a claim looks at.
const LOOKED_AT_MAX: i64 = 1024;

/// Why there is a delivery.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Something that is watched changed.
    Radar,
    /// Somebody wanted to see whether it arrives.
    Test,
}

/// How far a delivery is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DeliveryState {
    /// To be tried, perhaps again.
    Waiting,
    /// Taken by the receiver.
    Delivered,
    /// Given up, or its webhook was removed.
    Failed,
}

impl DeliveryState {
    const ALL: [DeliveryState; 3] =
        [DeliveryState::Waiting, DeliveryState::Delivered, DeliveryState::Failed];

    /// As it is kept and shown.
    pub fn as_str(self) -> &'static str {
        match self {
            DeliveryState::Waiting => "waiting",
            DeliveryState::Delivered => "delivered",
            DeliveryState::Failed => "failed",
        }
    }
}

/// A delivery as lists show it. Times are seconds since 1970.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Delivery {
    /// The `webhook-id`.
    pub id: DeliveryId,
    /// Whose it is.
    pub account: AccountName,
    /// Whether it is a test.
    pub kind: Kind,
    /// The date that it tells of.
    pub day: DataVersion,
    /// How far it is.
    pub state: DeliveryState,
    /// How often it was tried.
    pub attempts: i64,
    /// When it was made.
    pub created_at: i64,
    /// When it is tried next; of one that is not waiting when it would have been.
    pub next_attempt_at: i64,
    /// When it was delivered or given up.
    pub finished_at: Option<i64>,
    /// The last attempt.
    pub last: Option<AttemptRecord>,
}

/// One attempt. The time is in seconds since 1970.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AttemptRecord {
    /// From 1.
    pub number: i64,
    /// When it began.
    pub at: i64,
    /// What the receiver answered; `None` where it did not.
    pub status: Option<i64>,
    /// Why there was no answer.
    pub error: Option<String>,
    /// How long it took, in milliseconds.
    pub took_ms: i64,
}

/// Who claims, and for how long.
#[derive(Debug, Clone, Copy)]
pub struct Claim<'a> {
    /// The server, by a name that no other has.
    pub by: &'a str,
    /// Now, in seconds since 1970.
    pub now: i64,
    /// The second from which on the claims are void.
    pub until: i64,
}

/// A delivery that is this server's to try.
#[derive(Debug, Clone)]
pub struct Claimed {
    /// The `webhook-id`.
    pub id: DeliveryId,
    /// Whose it is, for the log.
    pub account: AccountName,
    /// Where it goes, and what signs it.
    pub webhook: Webhook,
    /// The date that it tells of.
    pub day: DataVersion,
    /// The second at which it is given up.
    pub give_up_at: i64,
    /// The second from which on the claim is void.
    pub claimed_until: i64,
}

/// What became of an attempt.
#[derive(Debug, Clone)]
pub struct Finished {
    /// Of which delivery.
    pub id: DeliveryId,
    /// The claim that it was tried under.
    pub claimed_until: i64,
    /// When it began, in seconds since 1970.
    pub at: i64,
    /// How long it took.
    pub took_ms: i64,
    /// The status, or why there is none.
    pub answer: Result<u16, String>,
    /// What follows.
    pub outcome: Outcome,
}

/// What follows an attempt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// Nothing: it was taken.
    Delivered,
    /// Another attempt, or none.
    NotTaken(Next),
}

/// Which deliveries a list has.
#[derive(Debug, Clone, Copy)]
pub enum Which<'a> {
    /// Everybody's.
    All,
    /// One account's.
    Of(&'a AccountName),
}

impl Store {
    /// The latest deliveries, the newest first.
    pub fn deliveries(
        &mut self,
        which: Which<'_>,
        limit: u32,
    ) -> Result<Vec<Delivery>, StoreError> {
        let (only, name) = match which {
            Which::All => ("", None),
            Which::Of(name) => ("WHERE account.name = $2", Some(name)),
        };
        let sql = format!(
            "{DELIVERY_SQL} {only} ORDER BY delivery.created_at DESC, delivery.id LIMIT $1"
        );
        let mut values = vec![i64::from(limit).into()];
        values.extend(name.map(|name| Value::from(name.as_str())));
        self.session.read(|session| session.rows(&sql, &values, delivery_of))
    }

    /// Every attempt of a delivery, in order.
    pub fn delivery_attempts(&mut self, id: &DeliveryId) -> Result<Vec<AttemptRecord>, StoreError> {
        let sql = "SELECT number, at, status, error, took_ms FROM delivery_attempt \
                   WHERE delivery_id = $1 ORDER BY number";
        self.session.read(|session| {
            let known = "SELECT 1 FROM delivery WHERE id = $1";
            if session.row(known, &[id.as_str().into()], |_row| Ok(()))?.is_none() {
                return Err(StoreError::NoSuchDelivery { id: id.to_string() });
            }
            session.rows(sql, &[id.as_str().into()], |row| attempt_of(row, 0))
        })
    }

    /// Makes a delivery due now and for three days from now, whatever became of it. Where `account`
    /// is given it must be that account's. The account must have a webhook.
    pub fn redeliver(
        &mut self,
        id: &DeliveryId,
        account: Option<AccountId>,
        now: Timestamp,
    ) -> Result<Delivery, StoreError> {
        self.session.write(|session| {
            let missing = || StoreError::NoSuchDelivery { id: id.to_string() };
            let sql = "SELECT account_id FROM delivery WHERE id = $1";
            let owner = session.row(sql, &[id.as_str().into()], |row| row.get(0).map(AccountId))?;
            let owner = owner.ok_or_else(missing)?;
            if account.is_some_and(|account| account != owner) {
                return Err(missing());
            }
            webhooks::locked(session, owner)?;
            let sql = "UPDATE delivery SET state = 'waiting', next_attempt_at = $2, \
                       give_up_at = $3, finished_at = NULL WHERE id = $1";
            let now = now.as_second();
            session
                .execute(sql, &[id.as_str().into(), now.into(), (now + TRIED_SECONDS).into()])?;
            let sql = format!("{DELIVERY_SQL} WHERE delivery.id = $1");
            session.row(&sql, &[id.as_str().into()], delivery_of)?.ok_or_else(missing)
        })
    }

    /// Makes a delivery that tells an account of `day`, to see whether it arrives. The account must
    /// have a webhook.
    pub fn test_delivery(
        &mut self,
        id: &DeliveryId,
        account: AccountId,
        day: DataVersion,
        now: Timestamp,
    ) -> Result<(), StoreError> {
        self.session.write(|session| {
            webhooks::locked(session, account)?;
            make(session, id, account, Kind::Test, day, now)
        })
    }

    /// Whether a delivery is due that nobody has claimed.
    pub fn is_delivery_due(&mut self, now: i64) -> Result<bool, StoreError> {
        let sql = "SELECT 1 FROM delivery WHERE state = 'waiting' AND next_attempt_at <= $1 \
                   AND (claimed_until IS NULL OR claimed_until <= $1) LIMIT 1";
        let found = self.session.read(|session| session.row(sql, &[now.into()], |_row| Ok(())))?;
        Ok(found.is_some())
    }

    /// Voids every claim of a server that ends.
    pub fn give_claims_back(&mut self, by: &str) -> Result<(), StoreError> {
        let sql = "UPDATE delivery SET claimed_by = NULL, claimed_until = NULL \
                   WHERE state = 'waiting' AND claimed_by = $1";
        self.session.write(|session| session.execute(sql, &[by.into()])).map(|_changed| ())
    }

    /// Claims due deliveries: those that `choose` wants of them, in the order in which they became
    /// due, none of them to a receiver in `avoided`. Says as well whether there were more than were
    /// looked at.
    pub fn claim_deliveries(
        &mut self,
        claim: &Claim<'_>,
        avoided: &[String],
        mut choose: impl FnMut(&Webhook) -> bool,
    ) -> Result<(Vec<Claimed>, bool), StoreError> {
        self.session.write(|session| {
            let due = due(session, claim, avoided)?;
            let more = i64::try_from(due.len()).is_ok_and(|count| count == LOOKED_AT_MAX);
            let webhooks = webhooks_of(session, &due)?;
            let mut claimed = Vec::new();
            for due in due {
                let found = webhooks.binary_search_by_key(&due.account, |known| known.0);
                match found.map(|at| &webhooks[at]) {
                    Ok((_, account, webhook)) if choose(webhook) => claimed.push(Claimed {
                        id: due.id,
                        account: account.clone(),
                        webhook: webhook.clone(),
                        day: due.day,
                        give_up_at: due.give_up_at,
                        claimed_until: claim.until,
                    }),
                    Ok(_) => {}
                    // Made while its webhook was being removed.
                    Err(_) => fail(session, &due.id, claim.now)?,
                }
            }
            let ids: Vec<&DeliveryId> = claimed.iter().map(|one| &one.id).collect();
            for ids in ids.chunks(AT_ONCE_MAX) {
                let (places, listed) = among(ids, 3);
                let sql = format!(
                    "UPDATE delivery SET claimed_by = $1, claimed_until = $2 WHERE id IN ({places})"
                );
                let values = [vec![claim.by.into(), claim.until.into()], listed].concat();
                session.execute(&sql, &values)?;
            }
            Ok((claimed, more))
        })
    }

    /// Records attempts and what follows from them, all or none. One whose claim was void by then
    /// has its record all the same; what follows is left to whoever has claimed it since.
    pub fn finish_attempts(
        &mut self,
        by: &str,
        finished: &[Finished],
        now: i64,
    ) -> Result<(), StoreError> {
        self.session.write(|session| {
            finished.chunks(AT_ONCE_MAX).try_for_each(|some| finish(session, by, some, now))
        })
    }

    /// How many deliveries wait.
    pub fn deliveries_waiting(&mut self) -> Result<u64, StoreError> {
        let sql = "SELECT count(*) FROM delivery WHERE state = 'waiting'";
        let count: Option<i64> =
            self.session.read(|session| session.row(sql, &[], |row| row.get(0)))?;
        Ok(count.and_then(|count| u64::try_from(count).ok()).unwrap_or(0))
    }

    /// Forgets what was finished before this second; how many.
    pub fn prune_deliveries(&mut self, before: i64) -> Result<u64, StoreError> {
        let sql = "DELETE FROM delivery WHERE state <> 'waiting' AND finished_at < $1";
        self.session.write(|session| session.execute(sql, &[before.into()]))
    }
}

/// Makes a delivery that is due now.
pub(super) fn make(
    session: &mut Session,
    id: &DeliveryId,
    account: AccountId,
    kind: Kind,
    day: DataVersion,
    now: Timestamp,
) -> Result<(), StoreError> {
    let sql = "INSERT INTO delivery (id, account_id, kind, day, state, attempts, created_at, \
               next_attempt_at, give_up_at) VALUES ($1, $2, $3, $4, 'waiting', 0, $5, $5, $6)";
    let now = now.as_second();
    let values = [
        id.as_str().into(),
        account.0.into(),
        kind_text(kind).into(),
        day.to_string().into(),
        now.into(),
        (now + TRIED_SECONDS).into(),
    ];
    session.execute(sql, &values).map(|_made| ())
}

/// A delivery that may be claimed.
struct Due {
    id: DeliveryId,
    account: AccountId,
    day: DataVersion,
    give_up_at: i64,
}

fn due(
    session: &mut Session,
    claim: &Claim<'_>,
    avoided: &[String],
) -> Result<Vec<Due>, StoreError> {
    let places: Vec<String> = (0..avoided.len()).map(|at| format!("${}", at + 3)).collect();
    let avoiding = match places.is_empty() {
        true => String::new(),
        false => format!(
            "AND account_id NOT IN (SELECT account_id FROM webhook WHERE receiver IN ({}))",
            places.join(", ")
        ),
    };
    let sql = format!(
        "SELECT id, account_id, day, give_up_at FROM delivery \
         WHERE state = 'waiting' AND next_attempt_at <= $1 \
         AND (claimed_until IS NULL OR claimed_until <= $1) {avoiding} \
         ORDER BY next_attempt_at, id LIMIT $2 {}",
        session.skip_locked()
    );
    let mut values: Vec<Value> = vec![claim.now.into(), LOOKED_AT_MAX.into()];
    values.extend(avoided.iter().map(|receiver| Value::from(receiver.as_str())));
    session.rows(&sql, &values, |row| {
        Ok(Due {
            id: id_of(&row.get::<String>(0)?)?,
            account: AccountId(row.get(1)?),
            day: day_of(&row.get::<String>(2)?)?,
            give_up_at: row.get(3)?,
        })
    })
}

/// The webhooks that deliveries go to, by account.
fn webhooks_of(
    session: &mut Session,
    due: &[Due],
) -> Result<Vec<(AccountId, AccountName, Webhook)>, StoreError> {
    let mut accounts: Vec<i64> = due.iter().map(|due| due.account.0).collect();
    accounts.sort_unstable();
    accounts.dedup();
    let sql = format!(
        "SELECT account_id, account.name, {} FROM webhook \
         JOIN account ON account.id = account_id WHERE account_id IN {} ORDER BY account_id",
        webhooks::COLUMNS,
        session.each("$1")
    );
    session.rows(&sql, &[Value::Integers(accounts)], |row| {
        let name = name_of(&row.get::<String>(1)?)?;
        Ok((AccountId(row.get(0)?), name, webhook_of(row, 2)?))
    })
}

fn finish(
    session: &mut Session,
    by: &str,
    finished: &[Finished],
    now: i64,
) -> Result<(), StoreError> {
    let mut numbers = count_attempts(session, finished)?;
    for one in finished {
        // Its account was removed meanwhile, and it with that.
        let Some(number) = numbers.get_mut(&one.id) else { continue };
        record(session, one, *number)?;
        *number += 1;
        if let Outcome::NotTaken(next) = one.outcome {
            follow(session, by, one, next, now)?;
        }
    }
    // Whoever has the claims: they were taken.
    let taken = finished.iter().filter(|one| one.outcome == Outcome::Delivered);
    let taken: Vec<&DeliveryId> = taken.map(|one| &one.id).collect();
    if taken.is_empty() {
        return Ok(());
    }
    let (places, listed) = among(&taken, 2);
    let sql = format!(
        "UPDATE delivery SET state = 'delivered', finished_at = $1, \
         claimed_by = NULL, claimed_until = NULL WHERE id IN ({places})"
    );
    session.execute(&sql, &[vec![now.into()], listed].concat()).map(|_changed| ())
}

/// Counts attempts of deliveries; gives the number of the first of each.
fn count_attempts(
    session: &mut Session,
    finished: &[Finished],
) -> Result<HashMap<DeliveryId, i64>, StoreError> {
    let mut numbers = HashMap::new();
    let ids: Vec<&DeliveryId> = finished.iter().map(|one| &one.id).collect();
    let (places, listed) = among(&ids, 1);
    let sql = format!(
        "UPDATE delivery SET attempts = attempts + 1 WHERE id IN ({places}) RETURNING id, attempts"
    );
    for (id, number) in session
        .rows(&sql, &listed, |row| Ok((id_of(&row.get::<String>(0)?)?, row.get::<i64>(1)?)))?
    {
        numbers.insert(id, number);
    }
    // One that was tried twice, where its first claim had become void.
    for (at, one) in finished.iter().enumerate() {
        if finished[..at].iter().any(|earlier| earlier.id == one.id) {
            let sql = "UPDATE delivery SET attempts = attempts + 1 WHERE id = $1";
            session.execute(sql, &[one.id.as_str().into()])?;
        }
    }
    Ok(numbers)
}

fn record(session: &mut Session, one: &Finished, number: i64) -> Result<(), StoreError> {
    let sql = "INSERT INTO delivery_attempt (delivery_id, number, at, status, error, took_ms) \
               VALUES ($1, $2, $3, $4, $5, $6)";
    let (status, error) = match &one.answer {
        Ok(status) => (Some(i64::from(*status)), None),
        // PostgreSQL keeps no NUL in a text.
        Err(error) => (None, Some(error.replace('\0', "\u{fffd}"))),
    };
    let values = [
        one.id.as_str().into(),
        number.into(),
        one.at.into(),
        status.into(),
        error.into(),
        one.took_ms.into(),
    ];
    session.execute(sql, &values).map(|_made| ())
}

/// What follows an attempt that was not taken, where its claim is still good.
fn follow(
    session: &mut Session,
    by: &str,
    one: &Finished,
    next: Next,
    now: i64,
) -> Result<(), StoreError> {
    let (state, at, ended) = match next {
        Next::Retry { at } => ("waiting", at, None),
        Next::GiveUp => ("failed", now, Some(now)),
    };
    let sql = "UPDATE delivery SET state = $2, next_attempt_at = $3, finished_at = $4, \
               claimed_by = NULL, claimed_until = NULL \
               WHERE id = $1 AND state = 'waiting' AND claimed_by = $5 AND claimed_until = $6";
    let values = [
        one.id.as_str().into(),
        state.into(),
        at.into(),
        ended.into(),
        by.into(),
        one.claimed_until.into(),
    ];
    session.execute(sql, &values).map(|_changed| ())
}

/// The places of ids in a statement, the first of which is `$from`, and the ids as its parameters.
/// Their number is a power of two, the last id repeated, so that few statements are ever prepared.
fn among(ids: &[&DeliveryId], from: usize) -> (String, Vec<Value>) {
    let count = ids.len().next_power_of_two();
    let places: Vec<String> = (from..from + count).map(|at| format!("${at}")).collect();
    let last = ids.last().into_iter().cycle();
    let listed = ids.iter().chain(last).take(count).map(|id| id.as_str().into()).collect();
    (places.join(", "), listed)
}

fn fail(session: &mut Session, id: &DeliveryId, now: i64) -> Result<(), StoreError> {
    let sql = "UPDATE delivery SET state = 'failed', finished_at = $2 WHERE id = $1";
    session.execute(sql, &[id.as_str().into(), now.into()]).map(|_changed| ())
}

const DELIVERY_SQL: &str = "SELECT delivery.id, account.name, kind, day, state, attempts, \
     delivery.created_at, next_attempt_at, finished_at, number, at, status, error, took_ms \
     FROM delivery JOIN account ON account.id = account_id \
     LEFT JOIN delivery_attempt ON delivery_id = delivery.id AND number = attempts";

fn delivery_of(row: &Row) -> Result<Delivery, StoreFault> {
    let (kind, state): (String, String) = (row.get(2)?, row.get(4)?);
    let state = DeliveryState::ALL.into_iter().find(|known| known.as_str() == state);
    let number: Option<i64> = row.get(9)?;
    Ok(Delivery {
        id: id_of(&row.get::<String>(0)?)?,
        account: name_of(&row.get::<String>(1)?)?,
        kind: if kind == kind_text(Kind::Test) { Kind::Test } else { Kind::Radar },
        day: day_of(&row.get::<String>(3)?)?,
        state: state.ok_or_else(|| bad_value("a state of a delivery", "another text"))?,
        attempts: row.get(5)?,
        created_at: row.get(6)?,
        next_attempt_at: row.get(7)?,
        finished_at: row.get(8)?,
        last: number.map(|_number| attempt_of(row, 9)).transpose()?,
    })
}

fn attempt_of(row: &Row, from: usize) -> Result<AttemptRecord, StoreFault> {
    Ok(AttemptRecord {
        number: row.get(from)?,
        at: row.get(from + 1)?,
        status: row.get(from + 2)?,
        error: row.get(from + 3)?,
        took_ms: row.get(from + 4)?,
    })
}

fn kind_text(kind: Kind) -> &'static str {
    match kind {
        Kind::Radar => "radar",
        Kind::Test => "test",
    }
}

fn id_of(text: &str) -> Result<DeliveryId, StoreFault> {
    DeliveryId::parse(text).map_err(|_fault| bad_value("a delivery's id", text))
}

pub(super) fn day_of(text: &str) -> Result<DataVersion, StoreFault> {
    DataVersion::parse(text).map_err(|_fault| bad_value("a day", text))
}
