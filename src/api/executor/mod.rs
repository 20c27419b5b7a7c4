//! Where work runs and how much of it: expensive searches and batches in [`lanes`] within the limits of [`slots`], calls
//! of the store on threads that may block.
//!
//! [`cost_budget`] decides by the estimated cost of a search on which executor it runs. Accounts take turns
//! ([`fair_queue`]), and each has its share of the permits ([`account_semaphore`]). Knows no endpoint and no request.

pub mod account_semaphore;
pub mod cost_budget;
pub mod fair_queue;
pub mod lanes;
pub mod running_slice;
pub mod slots;
pub mod store;
