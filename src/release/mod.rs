//! Releases: what a folder of snapshots held, published in an object store for servers on many machines.
//!
//! ```text
//! current                     which release is active, for all servers and for those with a label
//! releases/000012.json        a release: its files, who made it and when, a signature; never changed
//! files/sha256/3b0c…          the files, by what is in them; never changed
//! claims/write-….json         what somebody is at work with, so that nothing of it is pruned meanwhile
//! nodes/web-1.json            what a server says of itself
//! ```
//!
//! [`push()`] sends files, then the release, then moves `current`, each only where nobody else did in between; so whoever
//! is ended in between leaves nothing that is half there. [`activate()`] has servers prepare a release and then gives them
//! the moment at which all change to it. A server brings releases into its [`Cache`] and serves one of them ([`Follow`]).
//! [`bucket`] is the object store or the folder that stands for one; a [`Guard`] keeps publishers apart where the store
//! cannot. Prints nothing: steps go to a
//! [`Progress`](crate::compile::Progress).

mod activate;
pub mod bucket;
mod cache;
mod claim;
mod collect;
mod connection;
mod current;
mod error;
mod follow;
mod guard;
mod label;
mod late_bucket;
mod lines;
mod manifest;
mod node;
mod nodes;
mod number;
mod program;
mod prune;
mod push;
mod sha256;
mod shelf;
pub mod signature;
mod waiting;

pub use activate::{Moved, activate, rollback};
pub use bucket::Bucket;
pub use cache::{Cache, Folder};
pub use current::{Current, Switch};
pub use error::ReleaseError;
pub use follow::Follow;
pub use guard::{Guard, GuardFault, Held};
pub use label::Label;
pub use late_bucket::LateBucket;
pub use lines::{Line, Lines};
pub use manifest::{Entry, Kind, Made, Manifest, Release};
pub use node::{Load, NodeName, NodeState};
pub use nodes::{Node, Presence, everywhere, nodes};
pub use number::Number;
pub use program::ProgramVersion;
pub use prune::{Pruned, prune};
pub use push::{Activate, Push, Pushed, push};
pub use sha256::Sha256;
pub use shelf::{manifest, newest, numbers};
pub use waiting::{Quorum, Waiting};
