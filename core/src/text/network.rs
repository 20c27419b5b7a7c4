//! Networks of IP addresses in CIDR notation (`10.0.0.0/8`).
//!
//! Also the network by which one client is counted: an IPv4 client by its address, an IPv6 client by its /64. An
//! IPv4 address that is mapped into IPv6 counts as IPv4.

use std::net::IpAddr;
use std::str::FromStr;

use ipnet::IpNet;

/// The prefix of the network that counts as one IPv6 client: providers give each customer at least a /64.
const V6_CLIENT_LENGTH: u8 = 64;

/// Ordered by its first address, then by the length of its prefix. The bits after the prefix are zero.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, derive_more::Display)]
pub struct Network(IpNet);

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NetworkFault {
    #[error(
        "expected an address or a network such as 10.0.0.0/8 or 2001:db8::/32; found {found:?}"
    )]
    Address { found: String },
    #[error("expected a prefix of 0 to {max} bits after the /; found {found:?}")]
    Length { found: String, max: u8 },
    /// Bits after the prefix are set: either the address or the length is a mistake.
    #[error("expected zeros after the first {length} bits, such as {expected}; found {found}")]
    HostBits { found: IpAddr, length: u8, expected: Network },
}

impl Network {
    /// The network that counts as one client: an IPv4 address or an IPv6 /64.
    pub fn of_client(address: IpAddr) -> Network {
        let address = IpNet::from(address.to_canonical());
        let length = address.prefix_len().min(V6_CLIENT_LENGTH);
        Network(IpNet::new_assert(address.addr(), length).trunc())
    }

    pub fn contains(self, address: IpAddr) -> bool {
        self.0.contains(&address.to_canonical())
    }
}

impl FromStr for Network {
    type Err = NetworkFault;

    /// Parses an address, optionally followed by `/` and the prefix length. Not with `IpNet`'s parser, which does not
    /// tell the two apart in its errors.
    fn from_str(text: &str) -> Result<Network, NetworkFault> {
        let cut = |text: &str| text.chars().take(50).collect();
        let (address, length) = match text.split_once('/') {
            Some((address, length)) => (address, Some(length)),
            None => (text, None),
        };
        let address: IpAddr =
            address.parse().map_err(|_fault| NetworkFault::Address { found: cut(text) })?;
        let whole = IpNet::from(address);
        let Some(digits) = length else { return Ok(Network::canonical(whole)) };
        let is_number = digits.bytes().all(|b| b.is_ascii_digit());
        let length = digits.parse().ok().filter(|_| is_number);
        let network = length.and_then(|length| IpNet::new(address, length).ok());
        let network = network.ok_or_else(|| NetworkFault::Length {
            found: cut(digits),
            max: whole.max_prefix_len(),
        })?;
        if network.network() != address {
            let (length, expected) = (network.prefix_len(), Network(network.trunc()));
            return Err(NetworkFault::HostBits { found: address, length, expected });
        }
        Ok(Network::canonical(network))
    }
}

impl Network {
    /// `::ffff:10.0.0.0/104` is 10.0.0.0/8, since addresses are compared in this form.
    fn canonical(network: IpNet) -> Network {
        let mapped = network.addr().to_canonical();
        let length = network.prefix_len().checked_sub(96).filter(|_| mapped != network.addr());
        Network(length.map_or(network, |length| IpNet::new_assert(mapped, length)))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn address(text: &str) -> IpAddr {
        text.parse().expect("an address")
    }

    #[test]
    fn networks_are_addresses_with_a_prefix() {
        #[track_caller]
        fn check(text: &str, expected: Result<&str, &str>) {
            let found = text.parse::<Network>();
            let found = found.map(|network| network.to_string()).map_err(|fault| fault.to_string());
            match (&found, expected) {
                (Ok(found), Ok(expected)) => assert_eq!(found, expected, "{text:?}"),
                (Err(found), Err(part)) => assert!(found.contains(part), "{text:?}: {found}"),
                _ => panic!("{text:?}: found {found:?}, expected {expected:?}"),
            }
        }
        check("10.0.0.0/8", Ok("10.0.0.0/8"));
        check("10.1.2.3", Ok("10.1.2.3/32"));
        check("0.0.0.0/0", Ok("0.0.0.0/0"));
        check("192.0.2.128/25", Ok("192.0.2.128/25"));
        check("2001:db8::/32", Ok("2001:db8::/32"));
        check("::1", Ok("::1/128"));
        check("::/0", Ok("::/0"));
        check("::ffff:10.0.0.0/104", Ok("10.0.0.0/8"));
        check("", Err("found \"\""));
        check("/8", Err("found \"/8\""));
        check("10.0.0.0/", Err("0 to 32 bits after the /; found \"\""));
        check("10.0.0.0/33", Err("0 to 32 bits after the /; found \"33\""));
        check("::/129", Err("0 to 128 bits after the /; found \"129\""));
        check("10.0.0.0/+8", Err("found \"+8\""));
        check("10.0.0.0/-1", Err("found \"-1\""));
        check("10.0.0.0/8/8", Err("found \"8/8\""));
        check("10.0.0.0/999", Err("found \"999\""));
        check("10.0.0/8", Err("such as 10.0.0.0/8"));
        check("10.0.0.0:80", Err("such as 10.0.0.0/8"));
        check(" 10.0.0.0/8", Err("such as 10.0.0.0/8"));
        check("proxy.example", Err("found \"proxy.example\""));
        check("fe80::1%eth0", Err("found \"fe80::1%eth0\""));
        check("10.0.0.1/8", Err("such as 10.0.0.0/8; found 10.0.0.1"));
        check("2001:db8::1/64", Err("such as 2001:db8::/64; found 2001:db8::1"));
        check(&"x".repeat(1000), Err(&format!("\"{}\"", "x".repeat(50))));
    }

    #[test]
    fn network_contains_the_addresses_of_its_prefix() {
        #[track_caller]
        fn check(network: &str, inside: &str, expected: bool) {
            let network: Network = network.parse().expect("a network");
            assert_eq!(network.contains(address(inside)), expected, "{network} {inside}");
        }
        check("10.0.0.0/8", "10.255.255.255", true);
        check("10.0.0.0/8", "11.0.0.0", false);
        check("10.0.0.0/8", "::ffff:10.1.2.3", true);
        check("10.0.0.0/8", "::10.1.2.3", false);
        check("0.0.0.0/0", "255.255.255.255", true);
        check("0.0.0.0/0", "::1", false);
        check("::/0", "2001:db8::1", true);
        check("::/0", "10.0.0.1", false);
        check("192.0.2.1", "192.0.2.1", true);
        check("192.0.2.1", "192.0.2.2", false);
        check("2001:db8::/32", "2001:db8:ffff::", true);
        check("2001:db8::/32", "2001:db9::", false);
    }

    #[test]
    fn client_is_an_ipv4_address_or_an_ipv6_64() {
        #[track_caller]
        fn check(client: &str, expected: &str) {
            assert_eq!(Network::of_client(address(client)).to_string(), expected);
        }
        check("192.0.2.1", "192.0.2.1/32");
        check("::ffff:192.0.2.1", "192.0.2.1/32");
        check("2001:db8:1:2::1", "2001:db8:1:2::/64");
        check("2001:db8:1:2:ffff::9", "2001:db8:1:2::/64");
        check("2001:db8:1:3::1", "2001:db8:1:3::/64");
    }

    proptest! {
        #[test]
        fn parsing_never_panics(text in "[0-9a-f:./]{0,40}|\\PC{0,20}") {
            if let Ok(network) = text.parse::<Network>() {
                prop_assert_eq!(network.to_string().parse::<Network>(), Ok(network));
                prop_assert!(network.contains(network.0.addr()));
            }
        }
    }
}
