//! Plans: what an account may use, apart from its options.

use std::fmt;

/// A plan. Orders by what it includes: each has everything of those before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Plan {
    /// Banks, postal look-up, address search.
    Standard,
    /// Those, and corporate look-up, search and radar.
    Premium,
    /// Everything; nothing in the interface asks for more than [`Plan::Premium`].
    Enterprise,
}

impl Plan {
    /// Every plan, the smallest first.
    pub const ALL: [Plan; 3] = [Plan::Standard, Plan::Premium, Plan::Enterprise];

    /// The plan of this name; `None` where the text names none. Lower case only.
    pub fn parse(text: &str) -> Option<Plan> {
        Plan::ALL.into_iter().find(|plan| plan.as_str() == text)
    }

    /// The name, as typed on the command line and kept in the store.
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
    fn every_plan_reads_back_and_they_ascend() {
        for plan in Plan::ALL {
            assert_eq!(Plan::parse(plan.as_str()), Some(plan));
        }
        assert!(Plan::ALL.is_sorted());
        for text in ["", "Standard", "standard ", "gold"] {
            assert_eq!(Plan::parse(text), None, "{text:?}");
        }
    }
}
