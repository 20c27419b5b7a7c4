//! Webhooks: telling an account's own server that corporations it watches have changed.
//!
//! What is sent and when is decided without a socket or a clock: [`event`] is the body and its id,
//! [`signature`] what a receiver verifies, [`schedule`] when to try again, [`target`] which URLs may be
//! registered and [`network`] which addresses may be connected to. [`delivery`] alone opens a connection
//! to the outside: one attempt, from a URL to a status or the reason why there is none.
//!
//! Knows neither the store nor who watches what: the server's courier joins the two.

pub mod delivery;
pub mod event;
pub mod network;
pub mod schedule;
pub mod signature;
pub mod target;

pub use delivery::{Attempt, AttemptFault, Message, Sender};
pub use event::{DeliveryId, PublicUrl};
pub use signature::{Secret, Secrets};
pub use target::{WebhookUrl, WebhookUrlError};
