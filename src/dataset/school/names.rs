//! The forms of a school's name that searches compare: as published, without the word for its founder (日比谷高等学校 for
//! 東京都立日比谷高等学校, 札幌中央幼稚園 for 札幌市立中央幼稚園), and with the short words that people say (高校, 高専).

use super::syntax::SchoolText;
use crate::text::codes::school_code::TYPES;
use crate::text::fold;

/// Stands between the forms of a name. No form contains it.
pub const FORM_END: char = '\n';

/// The public founders, as names have them behind the place. 国立 and 私立 are not said by names of schools.
const FOUNDERS: [&str; 9] =
    ["都立", "道立", "府立", "県立", "市立", "区立", "町立", "村立", "組合立"];

/// Long words of names, and the short ones that people say.
const SHORT_WORDS: [(&str, &str); 2] = [("高等専門学校", "高専"), ("高等学校", "高校")];

/// The forms of a name, folded for comparison, the published one first.
pub fn name_key(name: &str) -> String {
    let mut forms = vec![name.to_owned()];
    forms.extend(without_founder(name));
    for (long, short) in SHORT_WORDS {
        let spoken: Vec<String> = forms.iter().map(|form| form.replace(long, short)).collect();
        forms.extend(spoken);
    }
    let mut keys: Vec<String> = Vec::new();
    for form in forms {
        let key = fold::search_key(&form, SchoolText::LEVEL).replace(FORM_END, "");
        if !key.is_empty() && !keys.contains(&key) {
            keys.push(key);
        }
    }
    keys.join(&FORM_END.to_string())
}

/// The name without the place and 市立, without 立 alone, and without 市立 alone.
fn without_founder(name: &str) -> Vec<String> {
    let found = FOUNDERS.iter().filter_map(|word| Some((name.find(word)?, *word))).min();
    let Some((start, founder)) = found else { return Vec::new() };
    let (before, rest) = (&name[..start], &name[start + founder.len()..]);
    // 横浜市立大学 is no 大学: a kind of school alone is no name.
    let is_kind = rest.is_empty() || TYPES.iter().any(|(_, kind)| rest.starts_with(kind));
    if is_kind {
        return Vec::new();
    }
    let place = founder.trim_end_matches('立');
    let without_place = rest.to_owned();
    let with_place = [before, place, rest].concat();
    if before.is_empty() {
        return vec![without_place];
    }
    vec![without_place, with_place, [before, rest].concat()]
}

/// How well a keyword matches the forms of a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum NameClass {
    Whole,
    Beginning,
    Inside,
    /// Not at all: something else of the school matches.
    Elsewhere,
}

impl NameClass {
    pub const COUNT: usize = 4;

    pub fn of(forms: &str, keyword: &memchr::memmem::Finder<'_>) -> NameClass {
        let class = |form: &str| match keyword.find(form.as_bytes()) {
            Some(0) if form.len() == keyword.needle().len() => NameClass::Whole,
            Some(0) => NameClass::Beginning,
            Some(_) => NameClass::Inside,
            None => NameClass::Elsewhere,
        };
        forms.split(FORM_END).map(class).min().unwrap_or(NameClass::Elsewhere)
    }
}

#[cfg(test)]
mod tests {
    use memchr::memmem::Finder;
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_name_has_forms_without_its_founder() {
        for (name, expected) in [
            ("台帳幼稚園", &["台帳幼稚園"][..]),
            (
                "台帳市立中央幼稚園",
                &["台帳市立中央幼稚園", "中央幼稚園", "台帳市中央幼稚園", "台帳中央幼稚園"],
            ),
            ("台帳市立大学", &["台帳市立大学"]),
            ("台帳市立高等学校", &["台帳市立高等学校", "台帳市立高校"]),
            ("市立台帳小学校", &["市立台帳小学校", "台帳小学校"]),
            ("台帳工業高等専門学校", &["台帳工業高等専門学校", "台帳工業高専"]),
            ("国立音楽大学", &["国立音楽大学"]),
            ("", &[]),
        ] {
            let key = name_key(name);
            let forms: Vec<&str> = key.split(FORM_END).filter(|form| !form.is_empty()).collect();
            let expected: Vec<String> =
                expected.iter().map(|form| fold::search_key(form, SchoolText::LEVEL)).collect();
            assert_eq!(forms, expected, "{name}");
        }
        let key = name_key("台帳都立見本高等学校");
        for form in ["見本高校", "台帳都見本高校", "台帳都立見本高校", "見本高等学校"]
        {
            let form = fold::search_key(form, SchoolText::LEVEL);
            assert_eq!(NameClass::of(&key, &Finder::new(&form)), NameClass::Whole, "{form}");
        }
    }

    #[test]
    fn the_best_form_gives_the_class() {
        let key = name_key("台帳市立中央幼稚園");
        for (keyword, expected) in [
            ("中央幼稚園", NameClass::Whole),
            ("台帳中央", NameClass::Beginning),
            ("幼稚園", NameClass::Inside),
            ("園中", NameClass::Elsewhere),
        ] {
            assert_eq!(NameClass::of(&key, &Finder::new(keyword)), expected, "{keyword}");
        }
    }

    proptest! {
        #[test]
        fn the_published_name_is_the_first_form(name in "[台帳市区立都中央大学高等校 \n]{0,10}") {
            let key = name_key(&name);
            let first = fold::search_key(&name, SchoolText::LEVEL);
            prop_assert_eq!(key.split(FORM_END).next(), Some(&*first));
        }
    }
}
