//! Plans: which services an account may use, apart from its options.

use crate::text::named_enum::named_enum;

named_enum! {
    fn as_str;
    /// Each plan includes all previous ones; they are in ascending order.
    pub enum Plan {
        /// Banks, postal look-up, address search, schools, the calendar.
        Standard = "standard",
        /// Also corporations, invoice issuers and the radar.
        Premium = "premium",
        /// No endpoint requires more than [`Plan::Premium`].
        Enterprise = "enterprise",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_plan_parses_and_plans_are_ordered() {
        for plan in Plan::ALL {
            assert_eq!(Plan::parse(plan.as_str()), Some(plan));
        }
        assert!(Plan::ALL.is_sorted());
        for text in ["", "Standard", "standard ", "gold"] {
            assert_eq!(Plan::parse(text), None, "{text:?}");
        }
    }
}
