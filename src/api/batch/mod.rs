//! `POST /v1/batch/…/search`: many queries of one kind in one request.
//!
//! [`questions`] defines a kind of batch, [`request`] parses what all bodies share, [`run`] searches on threads of
//! its own, and [`answers`] is the document that is sent.

pub mod answers;
pub mod questions;
pub mod request;
pub mod run;
