//! The quorum of an activation: how many servers must be prepared, as a number or a percentage.

use std::fmt;

/// How many servers must be prepared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Quorum {
    Nodes(u32),
    /// Percentage of the live servers that change to another release.
    Percent(u8),
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("expected a number of nodes or a share of them, such as 3 or 80%; found {found:?}")]
pub struct InvalidQuorum {
    found: String,
}

impl Quorum {
    pub fn parse(text: &str) -> Result<Quorum, InvalidQuorum> {
        let digits = text.strip_suffix('%').unwrap_or(text);
        let is_valid = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
        let quorum = match text.ends_with('%') {
            true => digits.parse().ok().filter(|percent| *percent <= 100).map(Quorum::Percent),
            false => digits.parse().ok().map(Quorum::Nodes),
        };
        quorum.filter(|_| is_valid).ok_or_else(|| InvalidQuorum { found: text.to_owned() })
    }

    /// The required number of prepared servers among this many live ones.
    pub fn required(self, live: usize) -> usize {
        match self {
            Quorum::Nodes(nodes) => nodes as usize,
            Quorum::Percent(percent) => (live * usize::from(percent)).div_ceil(100),
        }
    }
}

impl fmt::Display for Quorum {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Quorum::Nodes(nodes) => nodes.fmt(out),
            Quorum::Percent(percent) => write!(out, "{percent}%"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quorum_is_a_number_or_a_percentage() {
        for (text, live, expected) in [
            ("0", 5, 0),
            ("3", 5, 3),
            ("3", 0, 3),
            ("100%", 5, 5),
            ("100%", 0, 0),
            ("80%", 5, 4),
            ("81%", 5, 5),
            ("1%", 5, 1),
            ("0%", 5, 0),
        ] {
            let quorum = Quorum::parse(text).expect(text);
            assert_eq!((quorum.required(live), quorum.to_string().as_str()), (expected, text));
        }
        for wrong in ["", "%", "-1", "+1", "101%", "1.5", "all", "３", "4294967296", "50 %", "50%%"]
        {
            assert!(Quorum::parse(wrong).is_err(), "{wrong:?}");
        }
    }
}
