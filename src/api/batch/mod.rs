//! `POST /v1/batch/…/search`: many queries of one kind in one request.
//!
//! [`kind`] is the trait of a kind of batch, [`body`] parses what the bodies of all kinds share, [`run`] searches on
//! the threads of a lane, and [`results`] is the document that is sent.

pub mod body;
pub mod kind;
pub mod results;
pub mod run;
