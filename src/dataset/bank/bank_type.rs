//! The type of an institution, which its code shows.

use crate::text::named_enum::named_enum;

named_enum! {
    fn name;
    pub enum BankType {
        Bank = "bank",
        Shinkin = "shinkin",
        ShinkumiRokin = "shinkumi_rokin",
        NokyoGyokyo = "nokyo_gyokyo",
        Yucho = "yucho",
    }
}

impl BankType {
    pub fn includes(self, code: u16) -> bool {
        match self {
            BankType::Bank => (1..=999).contains(&code),
            BankType::Shinkin => (1_000..=1_999).contains(&code),
            BankType::ShinkumiRokin => (2_000..=2_999).contains(&code),
            BankType::NokyoGyokyo => (3_000..=9_899).contains(&code),
            BankType::Yucho => (9_900..=9_999).contains(&code),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_code_except_0000_has_one_type() {
        for code in 1..=9_999 {
            let types = BankType::ALL.iter().filter(|bank_type| bank_type.includes(code)).count();
            assert_eq!(types, 1, "{code:04}");
        }
        assert!(BankType::ALL.iter().all(|bank_type| !bank_type.includes(0)));
    }
}
