//! A file that an edition needs: how it is asked for, and what it must be.

use super::check::Form;
use super::http::Request;

/// A file that an edition needs.
#[derive(Debug, Clone)]
pub struct Wanted {
    /// What it is to its dataset, once in an edition: `area`.
    pub role: String,
    pub request: Request,
    pub name: Name,
    pub form: Form,
    /// Whether it is a full file: then its rows and its size are compared with those of the edition before.
    pub whole: bool,
    /// Whether it may be the very file of the edition before; it is then not fetched again.
    pub may_repeat: bool,
    pub bytes_max: u64,
}

/// The official name that a file must have.
#[derive(Debug, Clone)]
pub enum Name {
    Exact(String),
    Pattern { fits: fn(&str) -> bool, expected: &'static str },
}

impl Name {
    pub fn fits(&self, name: &str) -> bool {
        match self {
            Name::Exact(exact) => exact.eq_ignore_ascii_case(name),
            Name::Pattern { fits, .. } => fits(name),
        }
    }

    pub fn expected(&self) -> &str {
        match self {
            Name::Exact(exact) => exact,
            Name::Pattern { expected, .. } => expected,
        }
    }
}
