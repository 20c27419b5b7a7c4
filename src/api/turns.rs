//! A bounded queue in which accounts take turns, so that an account with many entries delays only itself.
//!
//! Each turn takes the oldest entry of the account whose turn it is. A newly queued account has its turn after the
//! accounts that already wait, however many entries they have. Knows no threads and no clock.

use std::collections::{HashMap, VecDeque};

use crate::account::AccountId;

/// How many entries may wait.
#[derive(Debug, Clone, Copy)]
pub struct Room {
    pub of_all: usize,
    pub of_account: usize,
}

/// Why an entry is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Full {
    OfAll,
    OfAccount,
}

/// The number of an entry, by which it can be removed.
pub type Ticket = u64;

#[derive(Debug)]
pub struct Turns<T> {
    room: Room,
    waiting: HashMap<AccountId, VecDeque<(Ticket, T)>>,
    /// The accounts with waiting entries, each once, the next first.
    order: VecDeque<AccountId>,
    length: usize,
}

impl<T> Turns<T> {
    pub fn of(room: Room) -> Turns<T> {
        Turns { room, waiting: HashMap::new(), order: VecDeque::new(), length: 0 }
    }

    /// Number of waiting entries.
    pub fn count(&self) -> usize {
        self.length
    }

    /// Whether an entry of the account would be accepted.
    pub fn check(&self, account: AccountId) -> Result<(), Full> {
        let of_account = self.waiting.get(&account).map_or(0, VecDeque::len);
        if of_account >= self.room.of_account {
            return Err(Full::OfAccount);
        }
        if self.length >= self.room.of_all { Err(Full::OfAll) } else { Ok(()) }
    }

    /// Appends an entry to those of its account, even if the queue is full.
    pub fn push(&mut self, account: AccountId, ticket: Ticket, entry: T) {
        let of_account = self.waiting.entry(account).or_default();
        if of_account.is_empty() {
            self.order.push_back(account);
        }
        of_account.push_back((ticket, entry));
        self.length += 1;
    }

    /// Removes the entry whose turn it is, among those of accounts that may run.
    pub fn take(
        &mut self,
        may_go_on: impl Fn(AccountId) -> bool,
    ) -> Option<(AccountId, Ticket, T)> {
        let at = self.order.iter().position(|account| may_go_on(*account))?;
        let account = self.order.remove(at)?;
        let of_account = self.waiting.get_mut(&account)?;
        let (ticket, entry) = of_account.pop_front()?;
        match of_account.is_empty() {
            true => _ = self.waiting.remove(&account),
            false => self.order.push_back(account),
        }
        self.length -= 1;
        Some((account, ticket, entry))
    }

    /// Removes an entry; `None` if its turn has come.
    pub fn take_back(&mut self, account: AccountId, ticket: Ticket) -> Option<T> {
        let of_account = self.waiting.get_mut(&account)?;
        let at = of_account.iter().position(|(known, _)| *known == ticket)?;
        let (_, entry) = of_account.remove(at)?;
        if of_account.is_empty() {
            self.waiting.remove(&account);
            self.order.retain(|known| *known != account);
        }
        self.length -= 1;
        Some(entry)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ROOM: Room = Room { of_all: 8, of_account: 5 };

    /// Parses entries of the form `account:name`, separated by spaces. The ticket of an entry is its position.
    fn turns(entries: &str) -> Turns<&str> {
        let mut turns = Turns::of(ROOM);
        for (ticket, entry) in (0..).zip(entries.split_whitespace()) {
            let (account, name) = entry.split_once(':').expect("an account and a name");
            turns.push(AccountId(account.parse().expect("a number")), ticket, name);
        }
        turns
    }

    fn taken(turns: &mut Turns<&'static str>) -> String {
        std::iter::from_fn(|| turns.take(|_account| true).map(|(_, _, name)| name)).collect()
    }

    #[test]
    fn accounts_take_turns() {
        for (entries, expected) in [
            ("", ""),
            ("1:a 1:b 1:c", "abc"),
            ("1:a 1:b 1:c 2:x", "axbc"),
            ("1:a 1:b 2:x 2:y 3:p", "axpby"),
        ] {
            assert_eq!(taken(&mut turns(entries)), expected, "{entries}");
        }
    }

    #[test]
    fn a_returning_entry_waits_behind_other_accounts() {
        let mut turns = turns("1:a 2:x 3:p");
        let (account, ticket, name) = turns.take(|_account| true).expect("three wait");
        turns.push(account, ticket, name);
        assert_eq!(taken(&mut turns), "xpa");
    }

    #[test]
    fn a_withdrawn_entry_gets_no_turn() {
        let mut turns = turns("1:a 2:x 1:b");
        assert_eq!(turns.take_back(AccountId(2), 1), Some("x"));
        assert_eq!(turns.take_back(AccountId(2), 1), None);
        assert_eq!(turns.take_back(AccountId(9), 0), None);
        assert_eq!(turns.take_back(AccountId(1), 0), Some("a"));
        assert_eq!((turns.count(), taken(&mut turns)), (1, "b".to_owned()));
        assert_eq!((turns.count(), turns.take(|_account| true)), (0, None));
    }

    #[test]
    fn the_queue_is_limited_per_account_and_in_total() {
        let full = turns("1:a 1:b 1:c 1:d 1:e");
        assert_eq!(full.check(AccountId(1)), Err(Full::OfAccount));
        assert_eq!(full.check(AccountId(2)), Ok(()));
        let full = turns("1:a 1:b 1:c 1:d 2:x 2:y 2:z 3:p");
        assert_eq!(full.check(AccountId(1)), Err(Full::OfAll));
        assert_eq!(full.check(AccountId(4)), Err(Full::OfAll));
    }
}
