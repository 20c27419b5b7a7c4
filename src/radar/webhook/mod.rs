//! Webhooks: notify the server of an account that corporations it watches have changed.
//!
//! These parts have no sockets and no clock: [`event`] makes the body and its id, [`signature`] signs them,
//! [`schedule`] decides when to retry, [`webhook_url`] which URLs may be registered, and [`network`] which addresses
//! may be connected to. Only [`attempt`] opens connections; it returns the receiver's status, or the reason why there
//! is none.
//!
//! Knows neither the store nor who watches what; the courier connects them.

pub mod attempt;
pub mod event;
pub mod network;
pub mod schedule;
pub mod signature;
pub mod webhook_url;

pub use attempt::{AllowedAddresses, AttemptFault, AttemptResult, Message, Sender};
pub use event::{DeliveryId, PublicUrl};
pub use signature::{Secret, Secrets};
pub use webhook_url::{UrlError, WebhookUrl};
