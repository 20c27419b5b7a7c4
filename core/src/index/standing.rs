//! The standing of a row: its order among rows whose names match a search equally well.
//!
//! An open corporation comes before an organisation that is named after one (労働組合, 健康保険組合), and both come before
//! closed corporations. Of several open corporations with one name, the first is the one in whose municipality an
//! organisation named after it has its office. Stored with the codes of a row ([`super::attributes`]).

use std::sync::LazyLock;

use crate::text::fold::{Level, folded};
use crate::text::kind_words::{Form, folded_word};

/// The words after the employer in the name of an organisation of its employees.
const EMPLOYEE_ORGANISATIONS: [&str; 7] =
    ["健康保険組合", "企業年金基金", "厚生年金基金", "労働組合", "従業員組合", "持株会", "共済会"];

/// [`EMPLOYEE_ORGANISATIONS`] folded as in the order of names.
static WORDS: LazyLock<[String; 7]> =
    LazyLock::new(|| EMPLOYEE_ORGANISATIONS.map(|word| folded(word, Level::Search)));

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub enum Standing {
    /// Open, in the municipality of an organisation that is named after it.
    Employer,
    #[default]
    Open,
    /// Open, an organisation of the employees of another, which it is named after.
    Organisation,
    Closed,
}

impl Standing {
    pub const ALL: [Standing; 4] =
        [Standing::Employer, Standing::Open, Standing::Organisation, Standing::Closed];

    /// The standing without the difference between an employer and another open corporation, which counts only
    /// between names that are equal.
    pub fn among_unequal_names(self) -> Standing {
        self.max(Standing::Open)
    }
}

/// For each form, by its number, whether its kind word is one of the words.
static FORMS: LazyLock<Vec<bool>> = LazyLock::new(|| {
    let is_word = |form| WORDS.iter().any(|word| word == folded_word(form, Level::Search));
    Form::all().map(is_word).collect()
});

/// Whether a kind word is that of an organisation of employees.
pub fn is_organisation_form(form: Form) -> bool {
    FORMS.get(usize::from(form.number())).copied().unwrap_or_default()
}

/// Whether the text after an employer's name is one of the words.
pub fn is_organisation_word(rest: &[u8]) -> bool {
    WORDS.iter().any(|word| word.as_bytes() == rest)
}

/// Whether a name is that of an organisation of employees: it has one of the words after another word. Companies are
/// not asked.
pub fn is_named_after_employer(name: &str) -> bool {
    let name = folded(name.trim(), Level::Search);
    WORDS.iter().any(|word| name.find(word.as_str()).is_some_and(|offset| offset > 0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_organisation_has_its_word_after_the_name_of_another() {
        for (name, expected) in [
            ("見本台帳労働組合", true),
            ("見本台帳労働組合東京支部", true),
            ("見本健康保険組合", true),
            ("見本グループ企業年金基金", true),
            ("見本社員持株会", true),
            ("見本職員共済会", true),
            ("健康保険組合連合会", false),
            ("労働組合", false),
            ("見本台帳株式会社", false),
            ("", false),
        ] {
            assert_eq!(is_named_after_employer(name), expected, "{name}");
        }
    }

    #[test]
    fn open_comes_before_organisations_and_closed_comes_last() {
        assert!(Standing::ALL.is_sorted());
        let unequal = Standing::ALL.map(Standing::among_unequal_names);
        let expected = [Standing::Open, Standing::Open, Standing::Organisation, Standing::Closed];
        assert_eq!(unequal, expected);
    }
}
