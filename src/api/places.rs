//! Counted places with a limit for all accounts together and for each.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::turns::{Full, Room};
use crate::account::AccountId;

#[derive(Debug)]
pub struct Places {
    room: Room,
    taken: Arc<Mutex<Taken>>,
}

#[derive(Debug, Default)]
struct Taken {
    of_all: usize,
    of_accounts: HashMap<AccountId, usize>,
}

/// Places that are released on drop.
#[derive(Debug)]
pub struct Held {
    account: AccountId,
    taken: Arc<Mutex<Taken>>,
    room: Room,
    count: usize,
}

impl Places {
    pub fn of(room: Room) -> Places {
        Places { room, taken: Arc::default() }
    }

    pub fn room(&self) -> Room {
        self.room
    }

    pub fn taken(&self) -> usize {
        lock(&self.taken).of_all
    }

    /// Takes `count` places at once.
    pub fn take(&self, account: AccountId, count: usize) -> Result<Held, Full> {
        let taken = Arc::clone(&self.taken);
        let mut held = Held { account, taken, room: self.room, count: 0 };
        held.take_more(count)?;
        Ok(held)
    }
}

impl Held {
    pub fn take_more(&mut self, count: usize) -> Result<(), Full> {
        let mut taken = lock(&self.taken);
        let of_account = taken.of_accounts.get(&self.account).copied().unwrap_or(0);
        if of_account + count > self.room.of_account {
            return Err(Full::OfAccount);
        }
        if taken.of_all + count > self.room.of_all {
            return Err(Full::OfAll);
        }
        taken.of_all += count;
        taken.of_accounts.insert(self.account, of_account + count);
        self.count += count;
        Ok(())
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        let mut taken = lock(&self.taken);
        taken.of_all -= self.count;
        if let Some(of_account) = taken.of_accounts.get_mut(&self.account) {
            *of_account -= self.count;
            if *of_account == 0 {
                taken.of_accounts.remove(&self.account);
            }
        }
    }
}

/// Ignores poisoning: each change under the lock is complete.
fn lock(taken: &Mutex<Taken>) -> MutexGuard<'_, Taken> {
    taken.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_limited_and_freed_on_drop() {
        let places = Places::of(Room { of_all: 5, of_account: 3 });
        let (one, two) = (AccountId(1), AccountId(2));
        let mut first = places.take(one, 1).expect("room");
        assert_eq!(places.take(one, 3).map(drop), Err(Full::OfAccount));
        first.take_more(2).expect("room");
        assert_eq!(first.take_more(1), Err(Full::OfAccount));
        let second = places.take(two, 2).expect("room");
        assert_eq!((places.take(two, 1).map(drop), places.taken()), (Err(Full::OfAll), 5));
        drop(first);
        assert_eq!(places.take(one, 3).map(|held| held.count), Ok(3));
        drop(second);
        assert_eq!((places.taken(), lock(&places.taken).of_accounts.len()), (0, 0));
    }
}
