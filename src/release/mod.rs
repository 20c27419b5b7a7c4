//! Releases: the content of a snapshot folder, published in an object store for servers on many machines.
//!
//! ```text
//! current                     the active release, for all servers and for those with a label
//! releases/000012.json        a release: its files, who made it and when, a signature; never changed
//! files/sha256/3b0c…          the files, named by their content; never changed
//! claims/write-….json         objects that a running push, activation or prune still needs
//! nodes/web-1.json            the state a server reports
//! ```
//!
//! [`push()`] sends files, then the release, then updates `current`, each only if nobody else did in the meantime; an
//! interrupted push leaves nothing incomplete. [`activate()`] has servers prepare a release and then announces the time
//! at which all switch to it. A server downloads releases into its [`Cache`] and serves one of them ([`Follow`]).
//! [`bucket`] is the object store, or a local folder used as one; a [`Guard`] lets one publisher write at a time if the
//! store cannot ensure that. Prints nothing: progress goes to
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
mod store_url;
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
pub use store_url::Patience;
pub use waiting::{Quorum, Waiting};
