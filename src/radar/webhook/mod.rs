//! Webhooks: notify the server of an account that corporations it watches have changed.
//!
//! Only [`attempt`] opens connections; the other parts have no sockets and no clock. Knows neither the store nor who
//! watches what; the courier connects them.

pub mod attempt;
pub mod event;
pub mod network;
pub mod signature;
pub mod webhook_url;

pub use attempt::{AllowedAddresses, AttemptFault, AttemptResult, Message, Sender};
pub use event::{DeliveryId, PublicUrl};
pub use signature::{Secret, Secrets};
pub use webhook_url::{UrlError, WebhookUrl};
