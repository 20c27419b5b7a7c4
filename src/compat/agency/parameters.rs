//! The parameters that both APIs have, read at the edge. An empty one counts as absent.

use std::borrow::Cow;

use super::answer::Form;
use super::fault::{Fault, FaultKind, Refusal};
use super::page::{PAGE_MAX, Page};
use crate::api::endpoint::{Parameter, parameter};
use crate::api::pipeline::params::Params;
use crate::api::shape::Shape::Text;
use crate::api::words::words;
use crate::text::codes::DataVersion;
use crate::text::numerals::whole_number;

pub const DIVIDE: Parameter = parameter("divide", Text, words("A page", "分割番号"), "1");

/// The most numbers in a request.
pub const NUMBERS_MAX: usize = 10;

pub fn required<'q>(params: &Params<'q>, name: &'static str) -> Result<Cow<'q, str>, Refusal> {
    Ok(params.non_empty(name)?.ok_or_else(|| Fault::missing(name))?)
}

/// The value of a parameter that takes one of a few words; `None` if it is absent.
pub fn word<T: Copy>(
    params: &Params<'_>,
    name: &'static str,
    words: &[(T, &str)],
) -> Result<Option<T>, Refusal> {
    let Some(text) = params.non_empty(name)? else { return Ok(None) };
    match words.iter().find(|(_, word)| *word == text) {
        Some((value, _)) => Ok(Some(*value)),
        None => {
            let words: Vec<&str> = words.iter().map(|(_, word)| *word).collect();
            let expected = format!("{}のいずれか", words.join("、"));
            Err(Fault::unexpected(FaultKind::Value, name, &expected, &text).into())
        }
    }
}

/// 1 or 0.
pub fn flag(params: &Params<'_>, name: &'static str, default: bool) -> Result<bool, Refusal> {
    Ok(word(params, name, &[(false, "0"), (true, "1")])?.unwrap_or(default))
}

/// The form of the answer, which every call must name.
pub fn form(params: &Params<'_>, forms: &[(Form, &str)]) -> Result<Form, Refusal> {
    Ok(word(params, "type", forms)?.ok_or_else(|| Fault::missing("type"))?)
}

/// The page that `divide` asks for; the first if it is absent.
pub fn page(params: &Params<'_>) -> Result<Page, Refusal> {
    const NAME: &str = DIVIDE.name;
    let Some(text) = params.non_empty(NAME)? else { return Ok(Page::FIRST) };
    let page = whole_number(&text).and_then(Page::new);
    Ok(page.ok_or_else(|| {
        let expected = format!("1から{PAGE_MAX}までの整数");
        Fault::unexpected(FaultKind::Value, NAME, &expected, &text)
    })?)
}

pub fn date(params: &Params<'_>, name: &'static str) -> Result<Option<DataVersion>, Refusal> {
    let Some(text) = params.non_empty(name)? else { return Ok(None) };
    let date = DataVersion::parse(&text).map_err(|_no_date| {
        Fault::unexpected(FaultKind::Date, name, "実在する日付（YYYY-MM-DD）", &text)
    })?;
    Ok(Some(date))
}

/// The numbers of `number`, between commas, each once and in the order of the request. `expected` describes one.
pub fn numbers<T: PartialEq>(
    params: &Params<'_>,
    numbers_max: usize,
    expected: &str,
    parse: impl Fn(&str) -> Option<T>,
) -> Result<Vec<T>, Refusal> {
    const NAME: &str = "number";
    let text = required(params, NAME)?;
    let parts: Vec<&str> = text.split(',').map(str::trim).filter(|it| !it.is_empty()).collect();
    if parts.is_empty() {
        return Err(Fault::missing(NAME).into());
    }
    if parts.len() > numbers_max {
        let message = format!(
            "パラメーター{NAME}に指定できるのは{numbers_max}件までです。指定された件数: {}",
            parts.len()
        );
        return Err(Fault::new(FaultKind::TooManyNumbers, message).into());
    }
    let mut numbers = Vec::with_capacity(parts.len());
    for part in parts {
        let number = parse(part)
            .ok_or_else(|| Fault::unexpected(FaultKind::Number, NAME, expected, part))?;
        if !numbers.contains(&number) {
            numbers.push(number);
        }
    }
    Ok(numbers)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kind<T: std::fmt::Debug>(result: Result<T, Refusal>) -> Option<FaultKind> {
        match result.expect_err("a fault") {
            Refusal::Fault(fault) => Some(fault.kind),
            Refusal::Handler(_) => None,
        }
    }

    #[test]
    fn a_page_is_a_whole_number() {
        let read = |query: &'static str| page(&Params::new(Some(query)));
        for (query, expected) in
            [("", 1), ("divide=", 1), ("divide=1", 1), ("divide=99999", 99_999)]
        {
            assert_eq!(read(query).expect("a page").number(), expected, "{query}");
        }
        for wrong in ["0", "-1", "100000", "x", "1.5", "%EF%BC%91"] {
            let query: &'static str = format!("divide={wrong}").leak();
            assert_eq!(kind(read(query)), Some(FaultKind::Value), "{wrong}");
        }
    }

    #[test]
    fn a_list_has_ten_numbers_at_most() {
        let read = |query: &'static str| {
            let parse = |text: &str| text.parse::<u8>().ok();
            numbers(&Params::new(Some(query)), NUMBERS_MAX, "数字", parse)
        };
        assert_eq!(read("number=3,1,3").expect("numbers"), [3, 1]);
        assert_eq!(read("number=%201,%202,").expect("numbers"), [1, 2]);
        assert_eq!(read("number=1,2,3,4,5,6,7,8,9,10").expect("numbers").len(), 10);
        assert_eq!(kind(read("")), Some(FaultKind::Missing));
        assert_eq!(kind(read("number=,")), Some(FaultKind::Missing));
        assert_eq!(kind(read("number=1,x")), Some(FaultKind::Number));
        let many = "number=1,1,1,1,1,1,1,1,1,1,1";
        assert_eq!(kind(read(many)), Some(FaultKind::TooManyNumbers));
        // An escape that is none is an error of the API, which its form writes.
        assert_eq!(kind(read("number=%zz")), None);
    }

    #[test]
    fn a_date_exists_and_a_word_is_known() {
        let read = |query: &'static str| date(&Params::new(Some(query)), "from");
        assert_eq!(read("from=").expect("none"), None);
        assert!(read("from=2026-08-03").expect("a date").is_some());
        for wrong in ["from=2026-02-30", "from=20260803", "from=2026-8-3", "from=x"] {
            assert_eq!(kind(read(wrong)), Some(FaultKind::Date), "{wrong}");
        }
        let forms = [(Form::CsvUtf8, "02"), (Form::Xml, "12")];
        let read = |query: &'static str| form(&Params::new(Some(query)), &forms);
        assert_eq!(read("type=12").expect("a form"), Form::Xml);
        assert_eq!(kind(read("")), Some(FaultKind::Missing));
        for wrong in ["type=2", "type=12x", "type=xml"] {
            assert_eq!(kind(read(wrong)), Some(FaultKind::Value), "{wrong}");
        }
    }
}
