//! A semaphore with two limits: the permits of all accounts together, and the permits of each. It never waits.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::fair_queue::{Capacity, CapacityError};
use crate::account::AccountId;

#[derive(Debug)]
pub struct AccountSemaphore {
    capacity: Capacity,
    in_use: Arc<Mutex<InUse>>,
}

#[derive(Debug, Default)]
struct InUse {
    total: usize,
    /// Of each account that has any.
    by_account: HashMap<AccountId, usize>,
}

/// Acquired permits, which are released on drop.
#[derive(Debug)]
pub struct Permits {
    account: AccountId,
    in_use: Arc<Mutex<InUse>>,
    capacity: Capacity,
    count: usize,
}

impl AccountSemaphore {
    pub fn new(capacity: Capacity) -> AccountSemaphore {
        AccountSemaphore { capacity, in_use: Arc::default() }
    }

    pub fn capacity(&self) -> Capacity {
        self.capacity
    }

    pub fn in_use(&self) -> usize {
        lock(&self.in_use).total
    }

    /// Acquires `count` permits, all or none.
    pub fn try_acquire(&self, account: AccountId, count: usize) -> Result<Permits, CapacityError> {
        let in_use = Arc::clone(&self.in_use);
        let mut permits = Permits { account, in_use, capacity: self.capacity, count: 0 };
        permits.try_acquire_more(count)?;
        Ok(permits)
    }
}

impl Permits {
    /// Acquires `count` more permits, all or none.
    pub fn try_acquire_more(&mut self, count: usize) -> Result<(), CapacityError> {
        let mut in_use = lock(&self.in_use);
        let of_account = in_use.by_account.get(&self.account).copied().unwrap_or(0);
        if of_account + count > self.capacity.per_account {
            return Err(CapacityError::PerAccount);
        }
        if in_use.total + count > self.capacity.total {
            return Err(CapacityError::Total);
        }
        in_use.total += count;
        in_use.by_account.insert(self.account, of_account + count);
        self.count += count;
        Ok(())
    }
}

impl Drop for Permits {
    fn drop(&mut self) {
        let mut in_use = lock(&self.in_use);
        in_use.total -= self.count;
        if let Some(of_account) = in_use.by_account.get_mut(&self.account) {
            *of_account -= self.count;
            if *of_account == 0 {
                in_use.by_account.remove(&self.account);
            }
        }
    }
}

/// Ignores poisoning: each change under the lock is complete.
fn lock(in_use: &Mutex<InUse>) -> MutexGuard<'_, InUse> {
    in_use.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn permits_are_limited_and_released_on_drop() {
        let semaphore = AccountSemaphore::new(Capacity { total: 5, per_account: 3 });
        let (one, two) = (AccountId(1), AccountId(2));
        let refused = |account, count| semaphore.try_acquire(account, count).map(drop);
        let mut first = semaphore.try_acquire(one, 1).expect("permits are left");
        assert_eq!(refused(one, 3), Err(CapacityError::PerAccount));
        first.try_acquire_more(2).expect("permits are left");
        assert_eq!(first.try_acquire_more(1), Err(CapacityError::PerAccount));
        let second = semaphore.try_acquire(two, 2).expect("permits are left");
        assert_eq!((refused(two, 1), semaphore.in_use()), (Err(CapacityError::Total), 5));
        drop(first);
        assert_eq!(semaphore.try_acquire(one, 3).map(|permits| permits.count), Ok(3));
        drop(second);
        assert_eq!((semaphore.in_use(), lock(&semaphore.in_use).by_account.len()), (0, 0));
    }
}
