//! The state that a server reports: the object `nodes/NAME.json`, written only by that server; and which servers are
//! alive: those whose last report is at most a few report intervals old by the clock of the store.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use serde_json::{Value, json};

use super::bucket::{Bucket, ListedObject};
use super::current::or_null;
use super::error::ReleaseError;
use super::identifiers::{Label, Number, ProgramVersion};
use super::listing::Listing;
use crate::dataset;
use crate::snapshot::DatasetKind;
use crate::text::codes::DataVersion;
use crate::text::printable::printable_start;

/// The folder of these objects in the store.
pub const FOLDER: &str = "nodes";

const FORMAT: u64 = 1;

const NAME_LENGTH_MAX: usize = 100;

/// Longest reason of a server that could not prepare a release. Parts of it come from the store.
const FAILURE_CHARS_MAX: usize = 500;

/// The longest time between two reports of a server. A stated longer one would let a server count as alive for good.
pub const INTERVAL_MAX: Duration = Duration::from_secs(60);

/// The name of a server, such as `web-1-8080`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, derive_more::Display)]
pub struct NodeName(String);

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "expected a name of 1 to {NAME_LENGTH_MAX} letters, digits, hyphens, underscores and dots that does not begin \
     with a dot, such as web-1; found {found:?}"
)]
pub struct InvalidNodeName {
    found: String,
}

impl NodeName {
    pub fn parse(text: &str) -> Result<NodeName, InvalidNodeName> {
        let is_valid = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte);
        let is_name = (1..=NAME_LENGTH_MAX).contains(&text.len())
            && text.bytes().all(is_valid)
            && !text.starts_with('.');
        is_name
            .then(|| NodeName(text.to_owned()))
            .ok_or_else(|| InvalidNodeName { found: text.to_owned() })
    }

    /// The default name: the host name and the address on which the server listens.
    pub fn default_for(machine: &str, address: Option<SocketAddr>) -> NodeName {
        let is_valid = |letter: char| letter.is_ascii_alphanumeric() || "-_.".contains(letter);
        let suffix = match address {
            Some(address) if address.ip().is_unspecified() => format!("-{}", address.port()),
            Some(address) => format!("-{}-{}", address.ip(), address.port()),
            None => String::new(),
        };
        let length_max = NAME_LENGTH_MAX.saturating_sub(suffix.len());
        let machine: String = machine.trim_start_matches('.').chars().take(length_max).collect();
        let machine = if machine.is_empty() { "node" } else { &machine };
        let name = format!("{machine}{suffix}");
        NodeName(name.chars().map(|letter| if is_valid(letter) { letter } else { '-' }).collect())
    }

    pub fn object_name(&self) -> String {
        format!("{FOLDER}/{}.json", self.0)
    }

    /// The server name in an object name; `None` for other objects.
    pub fn from_object_name(object: &str) -> Option<NodeName> {
        let name = object.strip_prefix(FOLDER)?.strip_prefix('/')?.strip_suffix(".json")?;
        NodeName::parse(name).ok()
    }
}

#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Load {
    pub requests_per_second: f64,
    /// Requests whose body is being received or processed.
    pub in_flight: u64,
    pub connections: u64,
}

/// A report of a server about itself.
#[derive(Debug, Clone, PartialEq)]
pub struct NodeState {
    pub name: NodeName,
    pub label: Option<Label>,
    pub program: ProgramVersion,
    /// Distinguishes processes with the same server name.
    pub session: String,
    pub active: Option<Number>,
    /// The release that it could serve at once; the active one if no other is wanted.
    pub prepared: Option<Number>,
    /// Why the wanted release could not be prepared.
    pub failure: Option<String>,
    /// Time of this report, by the clock of the server.
    pub reported: Timestamp,
    pub interval: Duration,
    /// The newest served version of each dataset.
    pub newest: BTreeMap<DatasetKind, DataVersion>,
    pub load: Load,
    pub has_stopped: bool,
}

impl NodeState {
    pub fn read(bucket: &Bucket, name: &NodeName) -> Result<Option<NodeState>, ReleaseError> {
        let object = name.object_name();
        let Some((bytes, _)) = bucket.read(&object)? else { return Ok(None) };
        let state = NodeState::parse(&bytes, name).map_err(|found| {
            let url = bucket.object_url(&object);
            ReleaseError::MalformedNode { url, found }
        })?;
        Ok(Some(state))
    }

    pub fn write(&self, bucket: &Bucket) -> Result<(), ReleaseError> {
        bucket.write(&self.name.object_name(), self.to_bytes())
    }

    fn to_bytes(&self) -> Vec<u8> {
        let newest = self.newest.iter().map(|(dataset, version)| {
            (dataset.name().to_owned(), Value::from(version.to_string()))
        });
        let value = json!({
            "format": FORMAT,
            "name": self.name.to_string(),
            "label": self.label.as_ref().map(Label::to_string),
            "program": self.program.to_string(),
            "session": self.session,
            "active": self.active.map(Number::value),
            "prepared": self.prepared.map(Number::value),
            "failure": self.failure.as_ref().map(|text| printable_start(text, FAILURE_CHARS_MAX)),
            "written_at": self.reported.to_string(),
            "every_ms": u64::try_from(self.interval.as_millis()).unwrap_or(u64::MAX),
            "newest": newest.collect::<serde_json::Map<_, _>>(),
            "requests_per_second": self.load.requests_per_second,
            "in_flight": self.load.in_flight,
            "connections": self.load.connections,
            "left": self.has_stopped,
        });
        format!("{value}\n").into_bytes()
    }

    fn parse(bytes: &[u8], name: &NodeName) -> Result<NodeState, &'static str> {
        let value: Value = serde_json::from_slice(bytes).map_err(|_malformed| "no JSON")?;
        if value["format"].as_u64() != Some(FORMAT) {
            return Err("another format");
        }
        // A newer program may have datasets that this one does not know.
        let newest = |(name, version): (&String, &Value)| {
            let version = version.as_str().and_then(|text| DataVersion::parse(text).ok());
            match (dataset::named(name), version) {
                (Some(kind), Some(version)) => Some(Some((kind, version))),
                (None, Some(_)) => None,
                (_, None) => Some(None),
            }
        };
        let read = || {
            Some(NodeState {
                name: Some(name).filter(|name| value["name"] == name.0)?.clone(),
                label: or_null(&value["label"], |label| Label::parse(label.as_str()?).ok())?,
                program: ProgramVersion::parse(value["program"].as_str()?)?,
                session: value["session"].as_str()?.to_owned(),
                active: or_null(&value["active"], Number::from_json)?,
                prepared: or_null(&value["prepared"], Number::from_json)?,
                failure: value["failure"]
                    .as_str()
                    .map(|text| printable_start(text, FAILURE_CHARS_MAX)),
                reported: value["written_at"].as_str()?.parse().ok()?,
                interval: Duration::from_millis(value["every_ms"].as_u64()?).min(INTERVAL_MAX),
                newest: value["newest"]
                    .as_object()?
                    .iter()
                    .filter_map(newest)
                    .collect::<Option<_>>()?,
                load: Load {
                    requests_per_second: value["requests_per_second"].as_f64()?,
                    in_flight: value["in_flight"].as_u64()?,
                    connections: value["connections"].as_u64()?,
                },
                has_stopped: value["left"].as_bool()?,
            })
        };
        read().ok_or("unknown members")
    }
}

/// Missed reports in a row after which a server counts as gone.
const MISSED_MAX: u32 = 5;

/// Resolution of the times of an object store.
const STORE_CLOCK_STEP: Duration = Duration::from_secs(1);

/// A prune removes servers that were not seen for this long.
const REMOVAL_AGE: SignedDuration = SignedDuration::from_hours(24);

#[derive(Debug, Clone, PartialEq)]
pub struct Node {
    pub state: NodeState,
    /// Time of the last report, by the clock of the store.
    pub seen: Timestamp,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Presence {
    Live,
    Gone,
    /// The server reported that it stops.
    Stopped,
}

impl Node {
    /// The presence at this time of the store's clock.
    pub fn presence(&self, now: Timestamp) -> Presence {
        if self.state.has_stopped {
            return Presence::Stopped;
        }
        let age_max = self.state.interval.saturating_mul(MISSED_MAX);
        let age_max = age_max.saturating_add(STORE_CLOCK_STEP);
        let age_max = SignedDuration::try_from(age_max).unwrap_or(SignedDuration::MAX);
        match now.duration_since(self.seen) > age_max {
            true => Presence::Gone,
            false => Presence::Live,
        }
    }
}

/// All servers, sorted by name.
pub fn nodes(bucket: &Bucket) -> Result<Listing<Node>, ReleaseError> {
    let mut nodes = Listing::default();
    for (name, listed) in listed(bucket)? {
        // A server whose object has disappeared was pruned.
        if let Some(state) = NodeState::read(bucket, &name).transpose() {
            nodes.add(state.map(|state| Node { state, seen: listed.modified }))?;
        }
    }
    Ok(nodes)
}

/// The newest version of a dataset that every live server has, at most `own`, the version here; `None` if one of them
/// has none.
pub fn version_on_all_nodes(
    bucket: &Bucket,
    dataset: DatasetKind,
    own: DataVersion,
) -> Result<Option<DataVersion>, ReleaseError> {
    // A server writes no bad object, so nothing is known of one that does not exist.
    Ok(common_version(&nodes(bucket)?.sound, dataset, own))
}

/// Uses the newest report as the current time: a live server wrote it a moment ago.
fn common_version(nodes: &[Node], dataset: DatasetKind, own: DataVersion) -> Option<DataVersion> {
    let Some(now) = nodes.iter().map(|node| node.seen).max() else { return Some(own) };
    let live = nodes.iter().filter(|node| node.presence(now) == Presence::Live);
    let newest = live.map(|node| node.state.newest.get(&dataset).copied());
    newest.min().map_or(Some(own), |oldest| oldest.map(|oldest| oldest.min(own)))
}

/// The servers that were not seen for so long that a prune removes their objects.
pub fn long_gone(bucket: &Bucket, now: Timestamp) -> Result<Vec<NodeName>, ReleaseError> {
    let is_old = |listed: &ListedObject| now.duration_since(listed.modified) >= REMOVAL_AGE;
    let old = listed(bucket)?.into_iter().filter(|(_, listed)| is_old(listed));
    Ok(old.map(|(name, _)| name).collect())
}

fn listed(bucket: &Bucket) -> Result<Vec<(NodeName, ListedObject)>, ReleaseError> {
    let named = |listed: ListedObject| Some((NodeName::from_object_name(&listed.name)?, listed));
    Ok(bucket.list(FOLDER)?.into_iter().filter_map(named).collect())
}

#[cfg(test)]
pub mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::dataset::postal::PostalData;
    use crate::snapshot::Dataset;

    /// The state of a server that serves release 12 and has prepared release 13.
    pub fn node(name: &str) -> NodeState {
        NodeState {
            name: NodeName::parse(name).expect("a name"),
            label: Label::parse("canary").ok(),
            program: ProgramVersion::FIRST_READER,
            session: "0123".to_owned(),
            active: Number::from_value(12),
            prepared: Number::from_value(13),
            failure: Some("no room".to_owned()),
            reported: "2026-11-24T00:00:01.5Z".parse().expect("a moment"),
            interval: Duration::from_secs(2),
            newest: BTreeMap::from([(
                PostalData::KIND,
                DataVersion::parse("2026-10-30").expect("a version"),
            )]),
            load: Load { requests_per_second: 61.5, in_flight: 3, connections: 40 },
            has_stopped: false,
        }
    }

    #[test]
    fn a_written_node_state_reads_back() {
        let state = node("web-1");
        assert_eq!(NodeState::parse(&state.to_bytes(), &state.name), Ok(state.clone()));
        let empty = NodeState {
            label: None,
            active: None,
            prepared: None,
            failure: None,
            newest: BTreeMap::new(),
            load: Load::default(),
            has_stopped: true,
            ..state.clone()
        };
        assert_eq!(NodeState::parse(&empty.to_bytes(), &state.name), Ok(empty));
        let text = String::from_utf8(state.to_bytes()).expect("text");
        for (from, to, expected) in [
            ("{", "", "no JSON"),
            ("\"format\":1", "\"format\":2", "another format"),
            ("web-1", "web-2", "unknown members"),
            ("\"active\":12", "\"active\":0", "unknown members"),
            ("\"prepared\":13", "\"prepared\":\"13\"", "unknown members"),
            ("canary", "Canary", "unknown members"),
            ("2026-11-24T", "24 Nov", "unknown members"),
            ("\"every_ms\":2000", "\"every_ms\":-1", "unknown members"),
            ("2026-10-30", "October", "unknown members"),
            ("61.5", "\"many\"", "unknown members"),
        ] {
            let wrong = text.replacen(from, to, 1);
            assert_ne!(wrong, text, "{from}");
            assert_eq!(NodeState::parse(wrong.as_bytes(), &state.name), Err(expected), "{to}");
        }
        // A newer program has a dataset that this one does not know, and says more.
        let newer = text.replacen("postal", "weather", 1).replacen('{', "{\"more\":[1],", 1);
        let read = NodeState::parse(newer.as_bytes(), &state.name).expect("readable");
        assert_eq!(read, NodeState { newest: BTreeMap::new(), ..state });
    }

    #[test]
    fn a_name_is_one_segment_of_an_object_path() {
        for name in ["a", "web-1", "web_1.example.com-8080", &"n".repeat(100)] {
            let parsed = NodeName::parse(name).expect(name);
            assert_eq!(NodeName::from_object_name(&parsed.object_name()), Some(parsed));
        }
        for wrong in ["", ".", "..", ".hidden", "a/b", "a b", "é", "a:1", &"n".repeat(101)] {
            assert!(NodeName::parse(wrong).is_err(), "{wrong:?}");
        }
        for other in ["nodes/a.txt", "nodes/.json", "nodes", "a.json", "nodes/a/b.json"] {
            assert_eq!(NodeName::from_object_name(other), None, "{other}");
        }
        let address = |text: &str| text.parse().expect("an address");
        for (machine, listens, expected) in [
            ("web-1", "0.0.0.0:80", "web-1-80"),
            ("web-1", "[::]:80", "web-1-80"),
            ("web-1", "127.0.0.2:80", "web-1-127.0.0.2-80"),
            ("web-1", "[fe80::1]:80", "web-1-fe80--1-80"),
            ("", "0.0.0.0:80", "node-80"),
            ("..a b/é", "0.0.0.0:80", "a-b---80"),
            ("(none)", "0.0.0.0:80", "-none--80"),
        ] {
            let name = NodeName::default_for(machine, Some(address(listens))).to_string();
            assert_eq!(name, expected);
            assert!(NodeName::parse(&name).is_ok(), "{name}");
        }
        let longest = address("[1111:2222:3333:4444:5555:6666:7777:8888]:65535");
        let long = NodeName::default_for(&"n".repeat(300), Some(longest)).to_string();
        assert!(NodeName::parse(&long).is_ok(), "{long}");
    }

    proptest! {
        #[test]
        fn noise_never_panics(noise in any::<Vec<u8>>()) {
            let _ = NodeState::parse(&noise, &node("web-1").name);
        }
    }
}

#[cfg(test)]
mod nodes_tests {
    use super::super::node::tests::node;
    use super::*;
    use crate::dataset::corporate::CorporateData;
    use crate::snapshot::Dataset;

    #[test]
    fn the_oldest_version_of_the_live_servers_counts() {
        let version = |text: &str| DataVersion::parse(text).expect("a version");
        let server = |newest: Option<&str>, has_stopped: bool, age_s: i64| {
            let newest = newest.map(|newest| (CorporateData::KIND, version(newest)));
            let state =
                NodeState { newest: newest.into_iter().collect(), has_stopped, ..node("web-1") };
            let seen = Timestamp::UNIX_EPOCH + SignedDuration::from_secs(1_000 - age_s);
            Node { state, seen }
        };
        #[track_caller]
        fn check(nodes: &[Node], expected: Option<&str>) {
            let own = DataVersion::parse("2026-11-20").expect("a version");
            let found = common_version(nodes, CorporateData::KIND, own);
            assert_eq!(found.map(|version| version.to_string()).as_deref(), expected);
        }
        let (new, old) = (Some("2026-11-20"), Some("2026-11-19"));
        check(&[], new);
        check(&[server(new, false, 0)], new);
        check(&[server(new, false, 0), server(old, false, 2)], old);
        check(&[server(Some("2026-11-23"), false, 0)], new);
        check(&[server(new, false, 0), server(None, false, 0)], None);
        check(&[server(new, false, 0), server(old, false, 12)], new);
        check(&[server(new, false, 0), server(old, true, 0)], new);
        check(&[server(old, true, 0)], new);
    }

    #[test]
    fn a_server_is_live_for_five_of_its_intervals() {
        #[track_caller]
        fn check(interval_ms: u64, has_stopped: bool, age_ms: i64, expected: Presence) {
            let interval = Duration::from_millis(interval_ms);
            let state = NodeState { interval, has_stopped, ..node("web-1") };
            let seen = Timestamp::UNIX_EPOCH;
            let now = seen + SignedDuration::from_millis(age_ms);
            assert_eq!(Node { state, seen }.presence(now), expected, "{age_ms} of {interval_ms}");
        }
        check(2_000, false, 0, Presence::Live);
        check(2_000, false, 11_000, Presence::Live);
        check(2_000, false, 11_001, Presence::Gone);
        check(1_000, false, 6_000, Presence::Live);
        check(1_000, false, 7_000, Presence::Gone);
        check(2_000, false, -5_000, Presence::Live);
        check(2_000, true, 0, Presence::Stopped);
        check(2_000, true, 1_000_000, Presence::Stopped);
        check(u64::MAX, false, 1_000_000_000_000, Presence::Live);
    }
}
