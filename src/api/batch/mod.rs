//! `POST /v1/batch/…/search`: many questions in one request, of any kind.
//!
//! [`questions`] says what a kind of question is, [`request`] reads what all bodies have in common,
//! [`run`] does the work on a thread of its own, and [`answers`] is the document that is sent.

pub mod answers;
pub mod questions;
pub mod request;
pub mod run;
