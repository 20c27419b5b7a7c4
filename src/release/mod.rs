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
//! [`push()`] uploads the files, named by their SHA-256 (so overwriting one changes nothing), then the release, then
//! `current`, the last two by conditional writes; an interrupted push leaves nothing incomplete. [`activate()`] has
//! servers prepare a release and then announces the time at which all switch to it. A server downloads releases into
//! its [`Cache`] and serves one of them ([`Downloader`]). [`bucket`] is the object store, or a local folder used as
//! one; a [`Guard`] lets one publisher write at a time if the store cannot ensure that. Prints nothing: progress and
//! warnings go to [`Progress`](crate::compile::Progress).
//!
//! Objects of the store are from outside: they are read up to a size, a bad one of a [`Listing`] is left out, and
//! `verify` compares a release with its files before servers get it.

mod activate;
pub mod bucket;
mod cache;
mod cache_disk;
mod claim;
mod current;
mod error;
mod guard;
mod identifiers;
mod listing;
mod local_folder;
mod manifest;
mod node;
mod prune;
mod push;
pub mod signature;
pub(crate) mod store_url;
mod verify;

pub use activate::{ActivateOptions, Activation, Quorum, WaitOptions, activate, rollback};
pub use bucket::{Bucket, LazyBucket};
pub use cache::{Cache, Downloader, ReleaseFolder};
pub use current::{ActiveRelease, ActiveReleases, Current, Switch};
pub use error::ReleaseError;
pub use guard::{Guard, GuardFault, HeldGuard};
pub use identifiers::{Label, Number, ProgramVersion, Sha256};
pub use listing::Listing;
pub use manifest::{Creation, Entry, EntryKind, Manifest, Release};
pub use node::{
    INTERVAL_MAX, Load, Node, NodeName, NodeState, Presence, nodes, version_on_all_nodes,
};
pub use prune::{PruneReport, prune};
pub use push::{Activate, PushOptions, PushReport, push};
pub use store_url::RetryLimits;
pub use verify::Depth;
