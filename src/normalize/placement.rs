//! The result for one address: its components, its postal code, and how far it was placed.

use std::sync::Arc;

use crate::address::{Address, AddressScratch, Component, CorrectionKind, ResolvedLevel};
use crate::dataset::postal::PostalData;
use crate::json::eight_digits;
use crate::record::postal::PostalView;
use crate::snapshot::OpenError;
use crate::text::{codes::PostalCode, named_enum::named_enum};

named_enum! {
    fn name;
    /// How far an address was placed, from the best to the worst. The value of the column `match`.
    pub enum Match {
        /// A town, and a lot number in it.
        Full = "full",
        Town = "town",
        City = "city",
        Prefecture = "prefecture",
        None = "none",
        Blank = "blank",
        /// Its bytes are invalid in the file's encoding.
        Unreadable = "unreadable",
    }
}

impl Match {
    fn of(address: &Address) -> Match {
        match address.resolved() {
            ResolvedLevel::Full => Match::Full,
            ResolvedLevel::Town => Match::Town,
            ResolvedLevel::City => Match::City,
            ResolvedLevel::Prefecture => Match::Prefecture,
            ResolvedLevel::None => Match::None,
        }
    }
}

named_enum! {
    fn name;
    /// Whether the address agrees with the postal code beside it. The value of the column `postal_code_check`.
    pub enum CodeCheck {
        /// It is the code that was found, or the code of a business at the same lot; for an address without a lot, any
        /// code of its town.
        Agrees = "agrees",
        Differs = "differs",
        /// The file has no code, or none was found for the address by itself.
        Unknown = "unknown",
    }
}

/// The columns that every output has.
pub fn column_names() -> impl Iterator<Item = &'static str> {
    ["match", "postal_code"].into_iter().chain(Component::ALL.map(Component::name))
}

/// The result for one address. Reused for the next, so that only a correction costs an allocation.
#[derive(Debug, Default)]
pub struct Placement {
    scratch: AddressScratch,
    address: Address,
    /// The rows of the postal data that the address stands for.
    rows: Vec<u32>,
    matched: Option<Match>,
    /// The postal code that was found: seven digits.
    pub code: Option<[u8; 7]>,
    /// The postal code beside the address in the file.
    given: Option<PostalCode>,
    pub corrected: Vec<CorrectedComponent>,
}

/// A component whose name is not the one in the text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CorrectedComponent {
    pub kind: CorrectionKind,
    /// The name of the component, or `postal_code`.
    pub component: &'static str,
    /// The year since which the name is obsolete, if known.
    pub since: Option<u16>,
    /// The part of the text that was read; empty if the component is not in the text.
    pub read: String,
    /// The name that it stands for.
    pub became: String,
}

/// The postal code of a cell. A spreadsheet that took it for a number dropped its first zero, or wrote 1500043.0.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GivenCode {
    pub code: PostalCode,
    /// The text of the cell, if it is not the code as it stands.
    changed: Option<String>,
}

impl GivenCode {
    /// Reads a cell; `None` if it has no postal code.
    pub fn read(cell: &str) -> Option<GivenCode> {
        let cell = cell.trim().trim_start_matches('〒').trim_start();
        if let Ok(code) = PostalCode::parse(cell) {
            return Some(GivenCode { code, changed: None });
        }
        let number = cell.strip_suffix(".0").unwrap_or(cell);
        let is_number = number.bytes().all(|byte| byte.is_ascii_digit());
        let code = match number.len() {
            7 if is_number => PostalCode::parse(number).ok()?,
            6 if is_number => PostalCode::parse(&format!("0{number}")).ok()?,
            _ => return None,
        };
        Some(GivenCode { code, changed: Some(cell.to_owned()) })
    }

    fn correction(&self) -> Option<CorrectedComponent> {
        let read = self.changed.clone()?;
        let became = self.code.to_string();
        let kind = CorrectionKind::Completed;
        Some(CorrectedComponent { kind, component: "postal_code", since: None, read, became })
    }
}

/// Appends a part of an address from another column. The space separates a lot from a building that begins with
/// a digit.
pub fn join(part: &str, address: &mut String) {
    let part = part.trim();
    if !address.is_empty() && !part.is_empty() {
        address.push(' ');
    }
    address.push_str(part);
}

impl Placement {
    /// Reads an address. `given` is the postal code beside it in the file; it decides where the text does not.
    pub fn read(
        &mut self,
        data: &PostalData,
        text: &str,
        given: Option<GivenCode>,
    ) -> Result<(), Arc<OpenError>> {
        if text.trim().is_empty() {
            self.clear(Match::Blank);
            return Ok(());
        }
        self.corrected.clear();
        self.corrected.extend(given.as_ref().and_then(GivenCode::correction));
        let given = given.map(|given| given.code);
        self.given = given;
        data.normalize_beside(text, given, &mut self.scratch, &mut self.address)?;
        self.corrected.extend(self.address.corrections().map(|one| CorrectedComponent {
            kind: one.kind,
            component: one.component.name(),
            since: one.since,
            read: text.get(one.start as usize..one.end as usize).unwrap_or_default().to_owned(),
            became: one.became.to_owned(),
        }));
        self.matched = Some(Match::of(&self.address));
        let code = data.postal_code(&self.address, &mut self.scratch, &mut self.rows)?;
        self.code = code.map(digits);
        Ok(())
    }

    /// Whether the address agrees with the code beside it.
    pub fn check(&self, data: &PostalData) -> Result<CodeCheck, Arc<OpenError>> {
        let (Some(given), Some(found)) = (self.given, self.code) else {
            return Ok(CodeCheck::Unknown);
        };
        // A place that was read from the code cannot confirm it.
        if self.address.is_from_code() {
            return Ok(CodeCheck::Unknown);
        }
        if digits(given.number()) == found {
            return Ok(CodeCheck::Agrees);
        }
        let lot = self.address.get(Component::BlockLotNum);
        let fits = |row: PostalView<'_>| match row.corporation() {
            Some(business) => lot.is_some() && business.block_lot_num().map(|it| it.text) == lot,
            None => lot.is_none(),
        };
        let mut rows = data.rows(&self.rows)?.filter(|row| row.postal_code() == given.number());
        Ok(if rows.any(fits) { CodeCheck::Agrees } else { CodeCheck::Differs })
    }

    /// Resets it for a row without a readable address; `matched` says why.
    pub fn clear(&mut self, matched: Match) {
        self.matched = Some(matched);
        self.code = None;
        self.given = None;
        self.corrected.clear();
    }

    /// The postal code beside the address in the file.
    pub fn given(&self) -> Option<PostalCode> {
        self.given
    }

    /// `None` for a row without a readable address.
    pub fn address(&self) -> Option<&Address> {
        let read = !matches!(self.matched(), Match::Blank | Match::Unreadable);
        read.then_some(&self.address)
    }

    pub fn matched(&self) -> Match {
        self.matched.unwrap_or(Match::None)
    }

    /// The values of [`column_names`].
    pub fn values(&self) -> impl Iterator<Item = Option<&str>> {
        let address = self.address();
        let code = self.code.as_ref().and_then(|code| std::str::from_utf8(code).ok());
        let parts = Component::ALL.map(|part| address.and_then(|address| address.get(part)));
        [Some(self.matched().name()), code].into_iter().chain(parts)
    }
}

pub fn digits(code: u32) -> [u8; 7] {
    *eight_digits(code).last_chunk().expect("eight digits end in seven")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_that_a_spreadsheet_changed_are_read() {
        for (cell, code, is_changed) in [
            ("1000013", Some("1000013"), false),
            (" 100-0013", Some("1000013"), false),
            ("〒100-0013", Some("1000013"), false),
            ("600042", Some("0600042"), true),
            ("600042.0", Some("0600042"), true),
            ("1500043.0", Some("1500043"), true),
            ("42", None, false),
            ("1500043.5", None, false),
            ("", None, false),
            ("ABCDEF", None, false),
        ] {
            let given = GivenCode::read(cell);
            let number = given.as_ref().map(|given| format!("{:07}", given.code.number()));
            assert_eq!(number.as_deref(), code, "{cell}");
            let correction = given.and_then(|given| given.correction());
            assert_eq!(correction.is_some(), is_changed, "{cell}");
        }
    }
}
