//! What a row gains: the components of its address, its postal code, and how far the address was placed.

use std::sync::Arc;

use crate::address::{Address, AddressScratch, Component, MatchLevel};
use crate::query::PostalData;
use crate::snapshot::OpenError;
use crate::text::named::named;

named! {
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
        /// Its bytes are no text of the file's encoding.
        Unreadable = "unreadable",
    }
}

impl Match {
    fn of(address: &Address) -> Match {
        match address.level() {
            MatchLevel::None => Match::None,
            MatchLevel::Prefecture(_) => Match::Prefecture,
            MatchLevel::City(_) | MatchLevel::Cities => Match::City,
            MatchLevel::Town(_) if address.get(Component::BlockLotNum).is_some() => Match::Full,
            MatchLevel::Town(_) => Match::Town,
        }
    }
}

pub fn names() -> impl Iterator<Item = &'static str> {
    ["match", "postal_code"].into_iter().chain(Component::ALL.map(Component::name))
}

/// Where one address was placed. Reused for the next, so that a row costs no allocation.
#[derive(Debug, Default)]
pub struct Placement {
    scratch: AddressScratch,
    address: Address,
    rows: Vec<u32>,
    matched: Option<Match>,
    /// Seven digits, or nothing.
    code: Option<[u8; 7]>,
}

impl Placement {
    pub fn read(&mut self, data: &PostalData, text: &str) -> Result<(), Arc<OpenError>> {
        if text.trim().is_empty() {
            self.clear(Match::Blank);
            return Ok(());
        }
        data.normalize(text, &mut self.scratch, &mut self.address)?;
        self.matched = Some(Match::of(&self.address));
        let code = data.postal_code(&self.address, &mut self.scratch, &mut self.rows)?;
        self.code = code.map(digits);
        Ok(())
    }

    /// For a row without an address that can be read.
    pub fn clear(&mut self, why: Match) {
        self.matched = Some(why);
        self.code = None;
    }

    pub fn matched(&self) -> Match {
        self.matched.unwrap_or(Match::None)
    }

    pub fn has_code(&self) -> bool {
        self.code.is_some()
    }

    pub fn values(&self) -> impl Iterator<Item = Option<&str>> {
        let read = !matches!(self.matched(), Match::Blank | Match::Unreadable);
        let code = self.code.as_ref().and_then(|code| std::str::from_utf8(code).ok());
        let parts = Component::ALL.map(|part| self.address.get(part).filter(|_| read));
        [Some(self.matched().name()), code].into_iter().chain(parts)
    }
}

fn digits(code: u32) -> [u8; 7] {
    let mut digits = [b'0'; 7];
    let mut rest = code;
    for digit in digits.iter_mut().rev() {
        *digit += (rest % 10) as u8;
        rest /= 10;
    }
    digits
}
