//! All open connections: limits them per address, and chooses which to close when there are too many or all
//! together hold too much memory.
//!
//! When there are too many, the one that has been idle for longest goes first. A connection is only requested to
//! close: the thread that drives it closes it.

use std::cmp::Reverse;
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::net::IpAddr;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use hyper::HeaderMap;

use super::budget::ByteBudget;
use super::connection::{CloseReason, Connection, Holding, Remote, uptime_ms};
use super::limits::{HELD_BYTES_LOW, IDLE_TIME_MIN};
use super::proxies::{Peer, TrustedProxies};
use crate::text::network::Network;

/// Idle connections collected in one scan, so that not every new connection scans.
const IDLE_BATCH: usize = 64;

/// How long connections that were requested to close have for it, before others are.
const CLOSE_PAUSE: Duration = Duration::from_millis(5);

#[derive(Debug)]
pub struct ConnectionTable {
    per_address_max: Option<u32>,
    proxies: TrustedProxies,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    count_by_client: HashMap<Network, u32>,
    by_number: HashMap<u64, Arc<Connection>>,
    /// The open connections that were idle in the last scan; the longest idle is last.
    idle: Vec<Arc<Connection>>,
}

/// A connection's entry in the table, removed on drop.
#[derive(Debug)]
pub struct Registration {
    table: Arc<ConnectionTable>,
    client: Network,
    number: Option<u64>,
}

impl ConnectionTable {
    pub fn new(per_address_max: Option<u32>, proxies: TrustedProxies) -> Arc<ConnectionTable> {
        Arc::new(ConnectionTable { per_address_max, proxies, state: Mutex::default() })
    }

    /// Counts a connection. The error is the number of connections that its address has.
    pub fn admit(self: &Arc<ConnectionTable>, remote: Remote) -> Result<Registration, u32> {
        let client = Network::of_client(remote.address);
        let mut state = self.state();
        let count = state.count_by_client.entry(client).or_default();
        match self.per_address_max {
            Some(max) if *count >= max && !remote.is_proxy => return Err(max),
            _ => *count += 1,
        }
        Ok(Registration { table: Arc::clone(self), client, number: None })
    }

    /// Where a connection from this peer comes from.
    pub fn remote(&self, peer: Peer) -> Remote {
        Remote { address: peer.address(), is_proxy: self.proxies.trusts(peer) }
    }

    /// Finds the client of a request through a trusted proxy and counts the request, while it is answered, as a
    /// connection of this client.
    pub fn admit_through(
        self: &Arc<ConnectionTable>,
        proxy: IpAddr,
        headers: &HeaderMap,
    ) -> Result<(IpAddr, Registration), u32> {
        let address = self.proxies.client(proxy, headers);
        // Proxies whose requests name no client, such as health checks, are not limited.
        let remote = Remote { address, is_proxy: self.proxies.contains(address) };
        Ok((address, self.admit(remote)?))
    }

    /// Requests the longest idle connection to close. `false` if none is idle.
    pub fn close_longest_idle(&self) -> bool {
        let mut state = self.state();
        if state.idle.is_empty() {
            state.idle = state.longest_idle(IDLE_BATCH);
        }
        while let Some(connection) = state.idle.pop() {
            // It may have begun a request since the scan.
            let is_idle = connection.idle_since_ms().is_some();
            if is_idle && connection.request_close(CloseReason::MakeRoom) {
                return true;
            }
        }
        false
    }

    /// Requests connections to close whenever all together hold too much; never returns.
    pub async fn enforce_memory_limit(&self, memory: &ByteBudget) {
        loop {
            memory.until_full().await;
            self.close_holders(memory.bytes().saturating_sub(HELD_BYTES_LOW));
            tokio::time::sleep(CLOSE_PAUSE).await;
        }
    }

    /// Requests connections that together hold this many bytes to close: first those whose client does not read its
    /// answers, in the order of how long it has read nothing. Connections that have delivered all their answers are
    /// not the cause: those without requests follow, the longest idle first. Those that only wait for memory come last,
    /// the largest first.
    fn close_holders(&self, bytes: usize) {
        let state = self.state();
        let (closing, mut holders): (Vec<_>, Vec<_>) =
            state.by_number.values().partition(|connection| connection.is_close_requested());
        // Counts connections that were requested earlier and have not run since as freed.
        let mut freed: usize = closing.iter().map(|connection| connection.held_bytes()).sum();
        // Counts change meanwhile, so each key is read once.
        holders.sort_by_cached_key(|connection| match connection.holding() {
            holding @ (Holding::UnreadAnswers | Holding::NoAnswers) => {
                (holding, connection.last_release_ms.load(Relaxed))
            }
            holding @ Holding::WaitingRequests => {
                (holding, u64::MAX - connection.held_bytes() as u64)
            }
        });
        for connection in holders {
            if freed >= bytes {
                break;
            }
            let held = connection.held_bytes();
            if held > 0 && connection.request_close(CloseReason::MemoryLimit) {
                freed += held;
            }
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // No code panics while it holds the lock, and each change is complete.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn longest_idle(&self, count_max: usize) -> Vec<Arc<Connection>> {
        let now_ms = uptime_ms();
        let is_long_enough =
            |since_ms: &u64| now_ms.saturating_sub(*since_ms) >= IDLE_TIME_MIN.as_millis() as u64;
        let mut idle = Vec::new();
        for connection in self.by_number.values() {
            let since_ms = connection.idle_since_ms().filter(is_long_enough);
            idle.extend(since_ms.map(|since_ms| (since_ms, connection)));
        }
        if idle.len() > count_max {
            idle.select_nth_unstable_by_key(count_max, |(since_ms, _)| *since_ms);
            idle.truncate(count_max);
        }
        idle.sort_unstable_by_key(|(since_ms, _)| Reverse(*since_ms));
        idle.into_iter().map(|(_, connection)| Arc::clone(connection)).collect()
    }
}

impl Registration {
    /// Enters the connection as one that can be requested to close.
    pub fn enter(&mut self, connection: &Arc<Connection>) {
        self.number = Some(connection.number);
        self.table.state().by_number.insert(connection.number, Arc::clone(connection));
    }
}

impl Drop for Registration {
    fn drop(&mut self) {
        let mut state = self.table.state();
        if let Some(number) = self.number {
            state.by_number.remove(&number);
            state.idle.retain(|connection| connection.number != number);
        }
        if let Entry::Occupied(mut count) = state.count_by_client.entry(self.client) {
            *count.get_mut() -= 1;
            if *count.get() == 0 {
                count.remove();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use hyper::header::HeaderValue;

    use super::*;
    use crate::server::budget::ChargeKind;
    use crate::server::connection::Charge;
    use crate::server::forwarded::FORWARDED_FOR;
    use crate::server::metrics::Metrics;

    fn remote(text: &str) -> Remote {
        Remote::client(text.parse().expect("an address"))
    }

    fn member(
        table: &Arc<ConnectionTable>,
        number: u64,
        idle_since_ms: u64,
    ) -> (Registration, Arc<Connection>) {
        let metrics = Arc::new(Metrics::over(Vec::new()));
        let connection = Arc::new(Connection::open(number, remote("192.0.2.1"), 0, metrics));
        connection.set_idle_since_ms(idle_since_ms);
        let mut registration = table.admit(remote("192.0.2.1")).expect("room");
        registration.enter(&connection);
        (registration, connection)
    }

    #[test]
    fn connections_of_an_address_are_limited_except_for_proxies() {
        let table = ConnectionTable::new(Some(2), TrustedProxies::default());
        let admit = |text| table.admit(remote(text));
        let kept = [admit("192.0.2.1"), admit("::ffff:192.0.2.1")];
        assert_eq!(admit("192.0.2.1").err(), Some(2));
        assert!(admit("192.0.2.2").is_ok());
        drop(kept);
        assert!(admit("192.0.2.1").is_ok());
        let _kept = [admit("2001:db8::1"), admit("2001:db8::ffff:0:0:1")];
        assert_eq!(admit("2001:db8::2").err(), Some(2), "the same /64 network");
        assert!(admit("2001:db8:0:1::1").is_ok());
        let proxy = Remote { is_proxy: true, ..remote("10.0.0.1") };
        let proxies: Vec<_> = (0..10).map(|_| table.admit(proxy)).collect();
        assert!(proxies.iter().all(Result::is_ok));
        let all = ConnectionTable::new(None, TrustedProxies::default());
        let registrations: Vec<_> = (0..1000).map(|_| all.admit(remote("192.0.2.1"))).collect();
        assert!(registrations.iter().all(Result::is_ok));
    }

    #[test]
    fn requests_through_a_proxy_count_for_their_client() {
        let proxies = TrustedProxies(vec!["10.0.0.0/8".parse().expect("a network")]);
        let table = ConnectionTable::new(Some(2), proxies);
        let through = |client: &'static str| {
            let client = HeaderValue::from_static(client);
            let headers = HeaderMap::from_iter([(FORWARDED_FOR, client)]);
            table.admit_through([10, 0, 0, 1].into(), &headers)
        };
        // A connection of its own counts with them.
        let direct = table.admit(remote("192.0.2.1")).expect("room");
        let (client, kept) = through("203.0.113.9, 192.0.2.1").expect("room");
        assert_eq!(client.to_string(), "192.0.2.1");
        assert_eq!(through("192.0.2.1").err(), Some(2));
        assert!(through("192.0.2.2").is_ok());
        drop((direct, kept));
        assert!(through("192.0.2.1").is_ok());
        let checks: Vec<_> = (0..10).map(|_| through("unknown")).collect();
        assert!(checks.iter().all(Result::is_ok), "no client is named");
    }

    #[test]
    fn the_longest_idle_connection_is_closed_first() {
        let table = ConnectionTable::new(None, TrustedProxies::default());
        assert!(!table.close_longest_idle());
        // The first call starts the clock.
        uptime_ms();
        std::thread::sleep(IDLE_TIME_MIN + Duration::from_millis(10));
        let members = [3, 1, 2].map(|number| member(&table, number, number));
        let busy = member(&table, 4, 0);
        let closing = || {
            let requested =
                members.iter().filter(|(_, connection)| connection.close_reason().is_some());
            requested.map(|(_, connection)| connection.number).collect::<Vec<_>>()
        };
        assert!(table.close_longest_idle());
        assert_eq!(closing(), [1]);
        // The third member, which the scan found idle, begins a request.
        members[2].1.begin_request(hyper::Version::HTTP_11);
        assert!(table.close_longest_idle());
        assert_eq!(closing(), [3, 1]);
        assert!(!table.close_longest_idle());
        assert_eq!(busy.1.close_reason(), None);
    }

    #[test]
    fn a_closed_connection_is_not_closed_instead_of_an_idle_one() {
        let table = ConnectionTable::new(None, TrustedProxies::default());
        // The first call starts the clock.
        uptime_ms();
        std::thread::sleep(IDLE_TIME_MIN + Duration::from_millis(10));
        let [first, second, third] = [1, 2, 3].map(|number| member(&table, number, number));
        assert!(table.close_longest_idle());
        assert!(first.1.is_close_requested());
        // The scan found the second member idle too; its client has closed it since.
        let closed = Arc::downgrade(&second.1);
        drop(second);
        assert_eq!(closed.strong_count(), 0, "the table keeps a closed connection");
        assert!(table.close_longest_idle());
        assert!(third.1.is_close_requested());
        assert!(!table.close_longest_idle());
    }

    #[test]
    fn connections_whose_bytes_wait_longest_are_closed_first() {
        let table = ConnectionTable::new(None, TrustedProxies::default());
        let members = [1, 2, 3, 4].map(|number| member(&table, number, 0));
        let mut charges = Vec::new();
        for at in [2, 0, 1] {
            charges.push(Charge::of(&members[at].1, ChargeKind::Answer, 100));
            std::thread::sleep(Duration::from_millis(3));
        }
        table.close_holders(150);
        let closing: Vec<_> =
            members.iter().map(|(_, connection)| connection.close_reason().is_some()).collect();
        assert_eq!(closing, [true, false, true, false]);
    }

    #[test]
    fn a_connection_without_answers_is_closed_after_those_whose_client_reads_nothing() {
        let table = ConnectionTable::new(None, TrustedProxies::default());
        let members = [1, 2, 3].map(|number| member(&table, number, 0));
        let pause = || std::thread::sleep(Duration::from_millis(3));
        let charge = |at: usize, kind, bytes| Charge::of(&members[at].1, kind, bytes);
        // All have memory of their own. The first is idle, the second reads nothing, the third gets an answer now.
        let _own = [0, 1, 2].map(|at| charge(at, ChargeKind::Request, 40));
        pause();
        let _unread = charge(1, ChargeKind::Answer, 60);
        pause();
        let _now = charge(2, ChargeKind::Answer, 60);
        let closing =
            || members.each_ref().map(|(_, connection)| connection.close_reason().is_some());
        for (bytes, expected) in
            [(100, [false, true, false]), (200, [false, true, true]), (240, [true, true, true])]
        {
            table.close_holders(bytes);
            assert_eq!(closing(), expected, "{bytes}");
        }
    }

    #[test]
    fn connections_that_only_wait_for_memory_are_closed_last() {
        let table = ConnectionTable::new(None, TrustedProxies::default());
        let members = [1, 2, 3, 4].map(|number| member(&table, number, 0));
        let charge = |at: usize, kind, bytes| Charge::of(&members[at].1, kind, bytes);
        let queue = |at: usize| members[at].1.mark_queued();
        // Members 0, 1 and 2 wait for memory. Member 1 also has an unread answer, member 2 holds the most.
        let _charges = [
            charge(0, ChargeKind::Request, 100),
            charge(1, ChargeKind::Answer, 100),
            charge(2, ChargeKind::Request, 200),
        ];
        let _queued = [queue(0), queue(1), queue(2)];
        std::thread::sleep(Duration::from_millis(3));
        let _late = charge(3, ChargeKind::Answer, 100);
        let closing =
            || members.each_ref().map(|(_, connection)| connection.close_reason().is_some());
        table.close_holders(100);
        assert_eq!(closing(), [false, true, false, false]);
        table.close_holders(200);
        assert_eq!(closing(), [false, true, false, true]);
        table.close_holders(300);
        assert_eq!(closing(), [false, true, true, true]);
    }
}
