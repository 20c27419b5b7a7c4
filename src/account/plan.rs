//! Plans: which services an account may use, apart from its options.

use std::fmt;

/// Each plan includes everything of those before it; they are ordered so.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Plan {
    /// Banks, postal look-up, address search.
    Standard,
    /// Also corporate look-up, search and radar.
    Premium,
    /// No endpoint needs more than [`Plan::Premium`].
    Enterprise,
}

impl Plan {
    /// The smallest first.
    pub const ALL: [Plan; 3] = [Plan::Standard, Plan::Premium, Plan::Enterprise];

    /// Lower case only.
    pub fn parse(text: &str) -> Option<Plan> {
        Plan::ALL.into_iter().find(|plan| plan.as_str() == text)
    }

    /// The name on the command line and in the store.
    pub fn as_str(self) -> &'static str {
        match self {
            Plan::Standard => "standard",
            Plan::Premium => "premium",
            Plan::Enterprise => "enterprise",
        }
    }
}

impl fmt::Display for Plan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_plan_parses_and_they_ascend() {
        for plan in Plan::ALL {
            assert_eq!(Plan::parse(plan.as_str()), Some(plan));
        }
        assert!(Plan::ALL.is_sorted());
        for text in ["", "Standard", "standard ", "gold"] {
            assert_eq!(Plan::parse(text), None, "{text:?}");
        }
    }
}
