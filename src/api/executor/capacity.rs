//! What accounts share: a bounded queue in which they take turns, so that an account with many entries delays only
//! itself, and a semaphore with the same two limits, which never waits. A semaphore may count for networks of clients
//! instead of accounts.
//!
//! Each pop removes the oldest entry of the account whose turn it is. An account that had no entry gets its turn after
//! the accounts that already wait, however many entries they have. Knows no threads and no clock.

use std::collections::{HashMap, VecDeque};
use std::hash::Hash;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::account::AccountId;

/// The most units that may be in use or waiting: of all accounts together, and of each.
#[derive(Debug, Clone, Copy)]
pub struct Capacity {
    pub total: usize,
    pub each: usize,
}

/// Which part of a [`Capacity`] is used up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CapacityError {
    Total,
    Each,
}

/// The number of an entry, by which it can be removed.
pub type Ticket = u64;

#[derive(Debug)]
pub struct Entry<T> {
    pub account: AccountId,
    pub ticket: Ticket,
    pub item: T,
}

#[derive(Debug)]
pub struct FairQueue<T> {
    capacity: Capacity,
    waiting: HashMap<AccountId, VecDeque<(Ticket, T)>>,
    /// The accounts with waiting entries, each once, the next first.
    order: VecDeque<AccountId>,
    count: usize,
}

impl<T> FairQueue<T> {
    pub fn new(capacity: Capacity) -> FairQueue<T> {
        FairQueue { capacity, waiting: HashMap::new(), order: VecDeque::new(), count: 0 }
    }

    pub fn count(&self) -> usize {
        self.count
    }

    /// Whether the capacity allows another entry of the account.
    pub fn check_capacity(&self, account: AccountId) -> Result<(), CapacityError> {
        let of_account = self.waiting.get(&account).map_or(0, VecDeque::len);
        if of_account >= self.capacity.each {
            return Err(CapacityError::Each);
        }
        if self.count >= self.capacity.total { Err(CapacityError::Total) } else { Ok(()) }
    }

    /// Appends an entry to its account's queue, even if the queue is full: a task between two slices keeps its right to
    /// run.
    pub fn push(&mut self, Entry { account, ticket, item }: Entry<T>) {
        let of_account = self.waiting.entry(account).or_default();
        if of_account.is_empty() {
            self.order.push_back(account);
        }
        of_account.push_back((ticket, item));
        self.count += 1;
    }

    /// Removes the entry whose turn it is, among the entries of accounts that may run.
    pub fn pop(&mut self, may_run: impl Fn(AccountId) -> bool) -> Option<Entry<T>> {
        let next = self.order.iter().position(|account| may_run(*account))?;
        let account = self.order.remove(next)?;
        let of_account = self.waiting.get_mut(&account)?;
        let (ticket, item) = of_account.pop_front()?;
        match of_account.is_empty() {
            true => _ = self.waiting.remove(&account),
            false => self.order.push_back(account),
        }
        self.count -= 1;
        Some(Entry { account, ticket, item })
    }

    /// Removes an entry out of turn; `None` if it was popped already.
    pub fn remove(&mut self, account: AccountId, ticket: Ticket) -> Option<T> {
        let of_account = self.waiting.get_mut(&account)?;
        let index = of_account.iter().position(|(known, _)| *known == ticket)?;
        let (_, item) = of_account.remove(index)?;
        if of_account.is_empty() {
            self.waiting.remove(&account);
            self.order.retain(|known| *known != account);
        }
        self.count -= 1;
        Some(item)
    }
}

/// `K` is an account, or a network of clients.
#[derive(Debug)]
pub struct KeyedSemaphore<K = AccountId> {
    capacity: Capacity,
    in_use: Arc<Mutex<InUse<K>>>,
}

#[derive(Debug)]
struct InUse<K> {
    total: usize,
    /// Of each that has any.
    by_key: HashMap<K, usize>,
}

/// Acquired permits, which are released on drop.
#[derive(Debug)]
pub struct Permits<K: Eq + Hash = AccountId> {
    key: K,
    in_use: Arc<Mutex<InUse<K>>>,
    capacity: Capacity,
    count: usize,
}

impl<K: Copy + Eq + Hash> KeyedSemaphore<K> {
    pub fn new(capacity: Capacity) -> KeyedSemaphore<K> {
        let in_use = InUse { total: 0, by_key: HashMap::new() };
        KeyedSemaphore { capacity, in_use: Arc::new(Mutex::new(in_use)) }
    }

    pub fn capacity(&self) -> Capacity {
        self.capacity
    }

    pub fn in_use(&self) -> usize {
        lock(&self.in_use).total
    }

    /// Acquires `count` permits, all or none.
    pub fn try_acquire(&self, key: K, count: usize) -> Result<Permits<K>, CapacityError> {
        let in_use = Arc::clone(&self.in_use);
        let mut permits = Permits { key, in_use, capacity: self.capacity, count: 0 };
        permits.try_acquire_more(count)?;
        Ok(permits)
    }
}

impl<K: Copy + Eq + Hash> Permits<K> {
    /// Acquires `count` more permits, all or none.
    pub fn try_acquire_more(&mut self, count: usize) -> Result<(), CapacityError> {
        let mut in_use = lock(&self.in_use);
        let of_key = in_use.by_key.get(&self.key).copied().unwrap_or(0);
        if of_key + count > self.capacity.each {
            return Err(CapacityError::Each);
        }
        if in_use.total + count > self.capacity.total {
            return Err(CapacityError::Total);
        }
        in_use.total += count;
        in_use.by_key.insert(self.key, of_key + count);
        self.count += count;
        Ok(())
    }
}

impl<K: Eq + Hash> Drop for Permits<K> {
    fn drop(&mut self) {
        let mut in_use = lock(&self.in_use);
        in_use.total -= self.count;
        if let Some(of_key) = in_use.by_key.get_mut(&self.key) {
            *of_key -= self.count;
            if *of_key == 0 {
                in_use.by_key.remove(&self.key);
            }
        }
    }
}

/// Ignores poisoning: each change under the lock is complete.
fn lock<K>(in_use: &Mutex<InUse<K>>) -> MutexGuard<'_, InUse<K>> {
    in_use.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    const CAPACITY: Capacity = Capacity { total: 8, each: 5 };

    /// Parses entries of the form `account:name`, separated by spaces. The ticket of an entry is its index.
    fn queue(entries: &str) -> FairQueue<&str> {
        let mut queue = FairQueue::new(CAPACITY);
        for (ticket, entry) in (0..).zip(entries.split_whitespace()) {
            let (account, item) = entry.split_once(':').expect("an account and a name");
            let account = AccountId(account.parse().expect("a number"));
            queue.push(Entry { account, ticket, item });
        }
        queue
    }

    fn pop_all(queue: &mut FairQueue<&'static str>) -> String {
        std::iter::from_fn(|| queue.pop(|_account| true).map(|entry| entry.item)).collect()
    }

    #[test]
    fn accounts_take_turns() {
        for (entries, expected) in [
            ("", ""),
            ("1:a 1:b 1:c", "abc"),
            ("1:a 1:b 1:c 2:x", "axbc"),
            ("1:a 1:b 2:x 2:y 3:p", "axpby"),
        ] {
            assert_eq!(pop_all(&mut queue(entries)), expected, "{entries}");
        }
    }

    #[test]
    fn an_entry_that_is_pushed_again_waits_after_the_other_accounts() {
        let mut queue = queue("1:a 2:x 3:p");
        let entry = queue.pop(|_account| true).expect("three wait");
        queue.push(entry);
        assert_eq!(pop_all(&mut queue), "xpa");
    }

    #[test]
    fn an_account_that_may_not_run_is_passed_over_and_keeps_its_turn() {
        let mut queue = queue("1:a 2:x 1:b");
        let entry = queue.pop(|account| account != AccountId(1)).expect("another account waits");
        assert_eq!((entry.account, entry.item), (AccountId(2), "x"));
        assert!(queue.pop(|account| account != AccountId(1)).is_none());
        assert_eq!(pop_all(&mut queue), "ab");
    }

    #[test]
    fn a_removed_entry_is_not_popped() {
        let mut queue = queue("1:a 2:x 1:b");
        assert_eq!(queue.remove(AccountId(2), 1), Some("x"));
        assert_eq!(queue.remove(AccountId(2), 1), None);
        assert_eq!(queue.remove(AccountId(9), 0), None);
        assert_eq!(queue.remove(AccountId(1), 0), Some("a"));
        assert_eq!((queue.count(), pop_all(&mut queue)), (1, "b".to_owned()));
        assert!(queue.count() == 0 && queue.pop(|_account| true).is_none());
    }

    #[test]
    fn the_queue_is_limited_per_account_and_in_total() {
        let full = queue("1:a 1:b 1:c 1:d 1:e");
        assert_eq!(full.check_capacity(AccountId(1)), Err(CapacityError::Each));
        assert_eq!(full.check_capacity(AccountId(2)), Ok(()));
        let full = queue("1:a 1:b 1:c 1:d 2:x 2:y 2:z 3:p");
        assert_eq!(full.check_capacity(AccountId(1)), Err(CapacityError::Total));
        assert_eq!(full.check_capacity(AccountId(4)), Err(CapacityError::Total));
    }
}

#[cfg(test)]
mod keyed_semaphore_tests {
    use super::*;

    #[test]
    fn permits_are_limited_and_released_on_drop() {
        let semaphore = KeyedSemaphore::new(Capacity { total: 5, each: 3 });
        let (one, two) = (AccountId(1), AccountId(2));
        let refused = |account, count| semaphore.try_acquire(account, count).map(drop);
        let mut first = semaphore.try_acquire(one, 1).expect("permits are left");
        assert_eq!(refused(one, 3), Err(CapacityError::Each));
        first.try_acquire_more(2).expect("permits are left");
        assert_eq!(first.try_acquire_more(1), Err(CapacityError::Each));
        let second = semaphore.try_acquire(two, 2).expect("permits are left");
        assert_eq!((refused(two, 1), semaphore.in_use()), (Err(CapacityError::Total), 5));
        drop(first);
        assert_eq!(semaphore.try_acquire(one, 3).map(|permits| permits.count), Ok(3));
        drop(second);
        assert_eq!((semaphore.in_use(), lock(&semaphore.in_use).by_key.len()), (0, 0));
    }
}
