//! All open connections: limits them per address, and chooses which to close when there are too many or all
//! together hold too much memory.
//!
//! The connection that has been idle for longest goes first. A connection is asked to close and does so itself, on
//! the thread that drives it.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use super::connection::{Connection, Leave};
use super::limits::{HELD_BYTES_LOW, IDLE_TIME_MIN};
use super::pool::Pool;
use super::proxies::TrustedProxies;
use crate::text::network::Network;

/// Idle connections collected in one scan, so that not every new connection scans.
const FOUND_MAX: usize = 64;

/// How long connections that were asked to close have for it, before others are asked.
const LEAVE_PAUSE: Duration = Duration::from_millis(5);

#[derive(Debug)]
pub struct Crowd {
    /// `None`: no limit.
    per_address_max: Option<u32>,
    /// Exempt from the limit.
    proxies: TrustedProxies,
    members: Mutex<Members>,
}

#[derive(Debug, Default)]
struct Members {
    of_client: HashMap<Network, u32>,
    open: HashMap<u64, Arc<Connection>>,
    /// The open connections that were idle in the last scan; the longest idle is last.
    quiet: Vec<Arc<Connection>>,
}

/// Registration of a connection, removed on drop.
#[derive(Debug)]
pub struct Place {
    crowd: Arc<Crowd>,
    client: Network,
    number: Option<u64>,
}

impl Crowd {
    pub fn of(per_address_max: Option<u32>, proxies: TrustedProxies) -> Arc<Crowd> {
        Arc::new(Crowd { per_address_max, proxies, members: Mutex::default() })
    }

    /// Admits a connection from this peer. The error is the number of connections that its address has.
    pub fn admit(self: &Arc<Crowd>, peer: IpAddr) -> Result<Place, u32> {
        let client = Network::of_client(peer);
        let mut members = self.members();
        let count = members.of_client.entry(client).or_default();
        match self.per_address_max {
            Some(most) if *count >= most && !self.proxies.contains(peer) => return Err(most),
            _ => *count += 1,
        }
        Ok(Place { crowd: Arc::clone(self), client, number: None })
    }

    /// Asks the longest idle connection to close. `false` if none is idle.
    pub fn make_room(&self) -> bool {
        let mut members = self.members();
        if members.quiet.is_empty() {
            members.quiet = members.quiet_longest(FOUND_MAX);
        }
        while let Some(connection) = members.quiet.pop() {
            // It may have begun a request since the scan.
            if connection.quiet_since().is_some() && connection.ask_to_leave(Leave::ForAnother) {
                return true;
            }
        }
        false
    }

    /// Asks connections to close whenever all together hold too much; never returns.
    pub async fn bound_memory(&self, held: &Pool) {
        loop {
            held.until_full(true).await;
            self.free(held.bytes().saturating_sub(HELD_BYTES_LOW));
            tokio::time::sleep(LEAVE_PAUSE).await;
        }
    }

    /// Asks connections that together hold this many bytes to close, first those that have released nothing for
    /// longest. Connections that have delivered all their answers and only wait for their turn come last, the
    /// largest of them first: they are not the cause.
    fn free(&self, bytes: usize) {
        let members = self.members();
        let order = |connection: &Connection| match connection.waits_for_turn() {
            false => (false, connection.held_since()),
            true => (true, u64::MAX - connection.held_bytes() as u64),
        };
        let (leaving, mut holders): (Vec<_>, Vec<_>) = members
            .open
            .values()
            .map(|connection| (order(connection), connection))
            .partition(|(_, connection)| connection.is_asked_to_leave());
        // Counts connections that were asked earlier and have not run since as freed.
        let mut freed =
            leaving.iter().map(|(_, connection)| connection.held_bytes()).sum::<usize>();
        holders.sort_unstable_by_key(|(order, _)| *order);
        for (_, connection) in holders {
            if freed >= bytes {
                break;
            }
            let held = connection.held_bytes();
            if held > 0 && connection.ask_to_leave(Leave::ForMemory) {
                freed += held;
            }
        }
    }

    fn members(&self) -> MutexGuard<'_, Members> {
        // No code panics while it holds the lock, and each change is complete.
        self.members.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Members {
    fn quiet_longest(&self, most: usize) -> Vec<Arc<Connection>> {
        let now = super::connection::uptime_ms();
        let long_enough =
            |since: &u64| now.saturating_sub(*since) >= IDLE_TIME_MIN.as_millis() as u64;
        let mut quiet: Vec<_> = self
            .open
            .values()
            .filter_map(|connection| {
                Some((connection.quiet_since().filter(long_enough)?, connection))
            })
            .collect();
        if quiet.len() > most {
            quiet.select_nth_unstable_by_key(most, |(since, _)| *since);
            quiet.truncate(most);
        }
        quiet.sort_unstable_by_key(|(since, _)| std::cmp::Reverse(*since));
        quiet.into_iter().map(|(_, connection)| Arc::clone(connection)).collect()
    }
}

impl Place {
    /// Registers the connection as one that can be asked to close.
    pub fn enter(&mut self, connection: &Arc<Connection>) {
        self.number = Some(connection.number);
        self.crowd.members().open.insert(connection.number, Arc::clone(connection));
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let mut members = self.crowd.members();
        if let Some(number) = self.number {
            members.open.remove(&number);
        }
        if let Entry::Occupied(mut count) = members.of_client.entry(self.client) {
            *count.get_mut() -= 1;
            if *count.get() == 0 {
                count.remove();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::server::held::Charge;
    use crate::server::metrics::Metrics;
    use crate::server::pool::Holding;

    fn address(text: &str) -> IpAddr {
        text.parse().expect("an address")
    }

    fn member(crowd: &Arc<Crowd>, number: u64, quiet_since: u64) -> (Place, Arc<Connection>) {
        let metrics = Arc::new(Metrics::over(Vec::new()));
        let connection = Arc::new(Connection::open(number, address("192.0.2.1"), 0, metrics));
        connection.note_quiet_since(quiet_since);
        let mut place = crowd.admit(address("192.0.2.1")).expect("room");
        place.enter(&connection);
        (place, connection)
    }

    #[test]
    fn connections_of_an_address_are_limited_except_for_proxies() {
        let crowd =
            Crowd::of(Some(2), TrustedProxies(vec!["10.0.0.0/8".parse().expect("a network")]));
        let admit = |text| crowd.admit(address(text));
        let kept = [admit("192.0.2.1"), admit("::ffff:192.0.2.1")];
        assert_eq!(admit("192.0.2.1").err(), Some(2));
        assert!(admit("192.0.2.2").is_ok());
        drop(kept);
        assert!(admit("192.0.2.1").is_ok());
        let _kept = [admit("2001:db8::1"), admit("2001:db8::ffff:0:0:1")];
        assert_eq!(admit("2001:db8::2").err(), Some(2), "the same /64 network");
        assert!(admit("2001:db8:0:1::1").is_ok());
        let proxies: Vec<_> = (0..10).map(|_| admit("10.0.0.1")).collect();
        assert!(proxies.iter().all(Result::is_ok));
        let all = Crowd::of(None, TrustedProxies::default());
        let places: Vec<_> = (0..1000).map(|_| all.admit(address("192.0.2.1"))).collect();
        assert!(places.iter().all(Result::is_ok));
    }

    #[test]
    fn the_longest_idle_connection_is_closed_first() {
        let crowd = Crowd::of(None, TrustedProxies::default());
        assert!(!crowd.make_room());
        // The first call starts the clock.
        crate::server::connection::uptime_ms();
        std::thread::sleep(IDLE_TIME_MIN + Duration::from_millis(10));
        let members = [3, 1, 2].map(|number| member(&crowd, number, number));
        let busy = member(&crowd, 4, 0);
        let left = || {
            let left = members.iter().filter(|(_, it)| it.left().is_some());
            left.map(|(_, it)| it.number).collect::<Vec<_>>()
        };
        assert!(crowd.make_room());
        assert_eq!(left(), [1]);
        // The third member, which the scan found idle, begins a request.
        members[2].1.begin_request(hyper::Version::HTTP_11);
        assert!(crowd.make_room());
        assert_eq!(left(), [3, 1]);
        assert!(!crowd.make_room());
        assert_eq!(busy.1.left(), None);
    }

    #[test]
    fn connections_whose_bytes_wait_longest_are_closed_first() {
        let crowd = Crowd::of(None, TrustedProxies::default());
        let members = [1, 2, 3, 4].map(|number| member(&crowd, number, 0));
        let mut charges = Vec::new();
        for at in [2, 0, 1] {
            charges.push(Charge::of(&members[at].1, Holding::Answer, 100));
            std::thread::sleep(Duration::from_millis(3));
        }
        crowd.free(150);
        let left: Vec<_> = members.iter().map(|(_, it)| it.left().is_some()).collect();
        assert_eq!(left, [true, false, true, false]);
    }

    #[test]
    fn connections_that_only_wait_for_a_turn_are_closed_last() {
        let crowd = Crowd::of(None, TrustedProxies::default());
        let members = [1, 2, 3, 4].map(|number| member(&crowd, number, 0));
        let charge = |at: usize, holding, bytes| Charge::of(&members[at].1, holding, bytes);
        let queue = |at: usize| members[at].1.queue();
        // Members 0, 1 and 2 wait for a turn. Member 1 also has an unread answer, and member 2 holds the most bytes.
        let _charges = [
            charge(0, Holding::Request, 100),
            charge(1, Holding::Answer, 100),
            charge(2, Holding::Request, 200),
        ];
        let _queued = [queue(0), queue(1), queue(2)];
        std::thread::sleep(Duration::from_millis(3));
        let _late = charge(3, Holding::Answer, 100);
        let left = || members.each_ref().map(|(_, it)| it.left().is_some());
        crowd.free(100);
        assert_eq!(left(), [false, true, false, false]);
        crowd.free(200);
        assert_eq!(left(), [false, true, false, true]);
        crowd.free(300);
        assert_eq!(left(), [false, true, true, true]);
    }
}
