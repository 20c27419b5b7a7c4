//! The family of a name: how many names begin with its body, and how many organisations of its employees there are.
//!
//! A health insurance society, pension fund or union is named after its employer (味の素健康保険組合), and subsidiaries are
//! named after their parent. So among names that begin alike, a large family shows a well-known one. Bodies arrive in
//! ascending order, so one pass counts them.

use std::sync::LazyLock;

use super::class::FormSet;
use crate::text::fold::{Level, folded};
use crate::text::kind_words::{Form, folded_word};

/// The words after the employer in the name of an organisation of its employees.
const EMPLOYEE_ORGANISATIONS: [&str; 5] =
    ["健康保険組合", "企業年金基金", "厚生年金基金", "労働組合", "従業員組合"];

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Family {
    /// The number of longer names that begin with the body.
    pub names: u32,
    /// The number of organisations of its employees.
    pub employees: u32,
}

/// A body with which later bodies may begin.
struct OpenBody {
    body: Vec<u8>,
    /// The first place that has it, and the number of places.
    first: usize,
    count: usize,
    family: Family,
}

/// Counts the families of ascending bodies.
#[derive(Default)]
pub struct FamilyCounter {
    /// The family of each place.
    families: Vec<Family>,
    /// The last body and those that it begins with. Each begins with the one before.
    open: Vec<OpenBody>,
}

/// [`EMPLOYEE_ORGANISATIONS`] folded as in bodies.
static WORDS: LazyLock<[String; 5]> =
    LazyLock::new(|| EMPLOYEE_ORGANISATIONS.map(|word| folded(word, Level::Search)));

/// The forms whose kind word is one of [`EMPLOYEE_ORGANISATIONS`].
static FORMS: LazyLock<FormSet> = LazyLock::new(|| {
    let is_employee_organisation =
        |form: &Form| WORDS.iter().any(|it| it == folded_word(*form, Level::Search));
    Form::all().filter(is_employee_organisation).collect()
});

impl FamilyCounter {
    /// Adds the body of the next place, and the form of its name.
    pub fn push(&mut self, body: &[u8], form: Form) {
        while let Some(last) = self.open.pop_if(|last| !body.starts_with(&last.body)) {
            self.close(last);
        }
        let place = self.families.len();
        self.families.push(Family::default());
        match self.open.last_mut().filter(|last| last.body == body) {
            Some(last) => last.count += 1,
            None => {
                let family = Family::default();
                self.open.push(OpenBody { body: body.to_owned(), first: place, count: 1, family });
            }
        }
        if let Some(last) = self.open.last_mut().filter(|_| FORMS.contains(form)) {
            last.family.employees += 1;
        }
    }

    /// The family of each place.
    pub fn finish(mut self) -> Vec<Family> {
        while let Some(last) = self.open.pop() {
            self.close(last);
        }
        self.families
    }

    /// Ends a body with which no later body begins: its family is complete, and joins the family of the body before.
    fn close(&mut self, last: OpenBody) {
        self.families[last.first..last.first + last.count].fill(last.family);
        if let Some(parent) = self.open.last_mut() {
            parent.family.names += last.family.names + last.count as u32;
        }
        for employer in &mut self.open {
            let rest = last.body.strip_prefix(employer.body.as_slice());
            if WORDS.iter().any(|word| rest == Some(word.as_bytes())) {
                employer.family.employees += last.count as u32;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::text::kind_words::split;

    fn families<'a>(bodies: impl Iterator<Item = (&'a str, Form)>) -> Vec<Family> {
        let mut families = FamilyCounter::default();
        bodies.for_each(|(body, form)| families.push(body.as_bytes(), form));
        families.finish()
    }

    fn found(names: &[&str]) -> Vec<(String, Family)> {
        let names: Vec<String> = names.iter().map(|name| folded(name, Level::Search)).collect();
        let mut bodies: Vec<_> = names.iter().map(|name| split(name, Level::Search)).collect();
        bodies.sort_unstable();
        let families = families(bodies.iter().copied());
        bodies.iter().map(|(body, _)| (*body).to_owned()).zip(families).collect()
    }

    #[test]
    fn a_family_counts_names_and_organisations_of_employees() {
        let found = found(&[
            "見本台帳株式会社",
            "有限会社見本",
            "見本台帳健康保険組合",
            "見本台帳労働組合",
            "見本台帳システム株式会社",
            "見本台帳システム労働組合",
            "別府",
        ]);
        let family = |body: &str| {
            let body = folded(body, Level::Search);
            found.iter().find(|(known, _)| *known == body).expect("a body of the names").1
        };
        assert_eq!(family("見本"), Family { names: 5, employees: 0 });
        assert_eq!(family("見本台帳"), Family { names: 3, employees: 2 });
        assert_eq!(family("見本台帳システム"), Family { names: 0, employees: 1 });
        assert_eq!(family("見本台帳健康保険組合"), Family::default());
        assert_eq!(family("別府"), Family::default());
        assert_eq!(families(std::iter::empty()), []);
    }

    proptest! {
        #[test]
        fn every_name_that_begins_with_a_body_is_counted(mut names in prop::collection::vec("[あい]{1,4}", 0..30)) {
            names.sort_unstable();
            let bodies = names.iter().map(|name| (name.as_str(), Form::NONE));
            for (name, family) in names.iter().zip(families(bodies)) {
                let longer = names.iter().filter(|other| other.starts_with(&**name) && *other != name);
                prop_assert_eq!(family.names as usize, longer.count());
            }
        }
    }
}
