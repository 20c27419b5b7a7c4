//! Webhooks: notify the server of an account that corporations it watches have changed.
//!
//! Without sockets and clocks: [`event`] is the body and its id, [`signature`] what a receiver
//! verifies, [`schedule`] when to retry, [`target`] which URLs may be registered, [`network`] which
//! addresses may be connected to. Only [`attempt`] opens connections: from a URL to a status, or to
//! the reason why there is none.
//!
//! Knows neither the store nor who watches what: the courier joins the two.

pub mod attempt;
pub mod event;
pub mod network;
pub mod schedule;
pub mod signature;
pub mod target;

pub use attempt::{AttemptFault, AttemptResult, Message, Reach, Sender};
pub use event::{DeliveryId, PublicUrl};
pub use signature::{Secret, Secrets};
pub use target::{WebhookUrl, WebhookUrlError};
