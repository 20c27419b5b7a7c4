//! The radar in the store: where accounts are told of changes, what they watch, what was matched and
//! what is to be delivered.
//!
//! [`webhooks`] has one URL an account with its secrets, [`watched`] the lists of numbers, [`matching`]
//! makes deliveries of a day's changes exactly once, and [`deliveries`] is the queue: a delivery is
//! claimed for a while, tried, and either done or due again, so that a server that dies leaves it to
//! the next one. Nothing here sends anything.

pub mod deliveries;
pub mod matching;
pub mod watched;
pub mod webhooks;

pub use deliveries::{
    AttemptRecord, Claim, Claimed, Delivery, DeliveryState, Finished, Kind, Outcome, Which,
};
pub use matching::DayList;
pub use webhooks::Webhook;
