//! Which addresses may be connected to: only addresses of the public internet.
//!
//! A registered URL must not make the server connect to its own network (server-side request forgery): to itself, to
//! a neighbour, or to the metadata service of a cloud. Callers check the addresses that a name resolves to, at each
//! attempt. IPv6 addresses with an embedded IPv4 address (mapped, 6to4, Teredo, NAT64) are all refused.

use std::net::IpAddr;

use ipnet::IpNet;

#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error(
    "expected a public address; found {address}, which is {block}; the operator can allow it with --webhook-allow-private"
)]
pub struct NotPublic {
    pub address: IpAddr,
    pub block: Block,
}

/// Why the addresses of a block are not public.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Block {
    #[error("this machine")]
    Loopback,
    /// Unique local addresses of IPv6 too.
    #[error("private")]
    Private,
    /// The metadata services of clouds are there.
    #[error("link-local")]
    LinkLocal,
    /// Carrier-grade NAT.
    #[error("in the internal network of a provider")]
    Shared,
    #[error("an IPv4 address inside an IPv6 one")]
    Embedded,
    #[error("multicast")]
    Multicast,
    /// For documentation, measurement, protocols or later use.
    #[error("reserved")]
    Reserved,
}

/// Blocks that are not public. The first one that contains an address counts. Everything of IPv6 outside [`V6_PUBLIC`] is
/// reserved.
const BLOCKS: [(&str, Block); 32] = [
    ("0.0.0.0/8", Block::Reserved),
    ("10.0.0.0/8", Block::Private),
    ("100.64.0.0/10", Block::Shared),
    ("127.0.0.0/8", Block::Loopback),
    ("169.254.0.0/16", Block::LinkLocal),
    ("172.16.0.0/12", Block::Private),
    ("192.0.0.0/24", Block::Reserved),
    ("192.0.2.0/24", Block::Reserved),
    ("192.31.196.0/24", Block::Reserved),
    ("192.88.99.0/24", Block::Reserved),
    ("192.168.0.0/16", Block::Private),
    ("198.18.0.0/15", Block::Reserved),
    ("198.51.100.0/24", Block::Reserved),
    ("203.0.113.0/24", Block::Reserved),
    ("224.0.0.0/4", Block::Multicast),
    ("240.0.0.0/4", Block::Reserved),
    ("::1/128", Block::Loopback),
    ("::/128", Block::Reserved),
    ("::ffff:0:0/96", Block::Embedded),
    ("::/96", Block::Embedded),
    ("64:ff9b::/96", Block::Embedded),
    ("64:ff9b:1::/48", Block::Embedded),
    ("2001::/32", Block::Embedded),
    ("2001::/23", Block::Reserved),
    ("2001:db8::/32", Block::Reserved),
    ("2002::/16", Block::Embedded),
    ("3fff::/20", Block::Reserved),
    ("fc00::/7", Block::Private),
    ("fe80::/10", Block::LinkLocal),
    ("fec0::/10", Block::Private),
    ("ff00::/8", Block::Multicast),
    ("2620:4f:8000::/48", Block::Reserved),
];

/// The only part of IPv6 from which public addresses are assigned.
const V6_PUBLIC: &str = "2000::/3";

pub fn check_public(address: IpAddr) -> Result<(), NotPublic> {
    let is_in = |network: &str| {
        network.parse::<IpNet>().expect("the table has networks").contains(&address)
    };
    let block = match BLOCKS.iter().find(|(network, _)| is_in(network)) {
        Some((_, block)) => *block,
        None if address.is_ipv4() || is_in(V6_PUBLIC) => return Ok(()),
        None => Block::Reserved,
    };
    Err(NotPublic { address, block })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_public_addresses_pass() {
        #[track_caller]
        fn check(text: &str, expected: Option<Block>) {
            let address = text.parse().expect("an address");
            assert_eq!(
                check_public(address).err().map(|refused| refused.block),
                expected,
                "{text}"
            );
        }
        for text in ["1.1.1.1", "9.255.255.255", "11.0.0.0", "100.63.255.255", "100.128.0.0"] {
            check(text, None);
        }
        for text in
            ["172.15.255.255", "172.32.0.0", "169.253.1.1", "192.167.1.1", "223.255.255.255"]
        {
            check(text, None);
        }
        for text in ["2001:4860:4860::8888", "2400:4000::1", "2a00::1", "2001:200::1", "2003::1"] {
            check(text, None);
        }
        check("0.0.0.0", Some(Block::Reserved));
        check("127.0.0.1", Some(Block::Loopback));
        check("127.255.255.254", Some(Block::Loopback));
        check("10.0.0.5", Some(Block::Private));
        check("172.16.0.1", Some(Block::Private));
        check("172.31.255.255", Some(Block::Private));
        check("192.168.1.1", Some(Block::Private));
        check("169.254.169.254", Some(Block::LinkLocal));
        check("100.64.0.1", Some(Block::Shared));
        check("100.127.255.255", Some(Block::Shared));
        check("100.100.100.200", Some(Block::Shared));
        check("192.0.0.192", Some(Block::Reserved));
        check("198.19.0.1", Some(Block::Reserved));
        check("203.0.113.7", Some(Block::Reserved));
        check("224.0.0.1", Some(Block::Multicast));
        check("255.255.255.255", Some(Block::Reserved));
        check("::", Some(Block::Reserved));
        check("::1", Some(Block::Loopback));
        check("::ffff:127.0.0.1", Some(Block::Embedded));
        check("::ffff:1.1.1.1", Some(Block::Embedded));
        check("::127.0.0.1", Some(Block::Embedded));
        check("64:ff9b::7f00:1", Some(Block::Embedded));
        check("64:ff9b:1::a00:1", Some(Block::Embedded));
        check("2002:7f00:1::", Some(Block::Embedded));
        check("2001:0:7f00:1::", Some(Block::Embedded));
        check("2001:10::1", Some(Block::Reserved));
        check("2001:db8::1", Some(Block::Reserved));
        check("fc00::1", Some(Block::Private));
        check("fd00:ec2::254", Some(Block::Private));
        check("fe80::1", Some(Block::LinkLocal));
        check("febf::1", Some(Block::LinkLocal));
        check("fec0::1", Some(Block::Private));
        check("ff02::1", Some(Block::Multicast));
        check("100::1", Some(Block::Reserved));
        check("5f00::1", Some(Block::Reserved));
        check("4000::1", Some(Block::Reserved));
    }

    #[test]
    fn a_refusal_names_the_address_and_the_option_that_allows_it() {
        let refused = check_public(IpAddr::from([169, 254, 169, 254])).expect_err("refused");
        let text = refused.to_string();
        assert!(text.contains("169.254.169.254, which is link-local"), "{text}");
        assert!(text.contains("--webhook-allow-private"), "{text}");
    }
}
