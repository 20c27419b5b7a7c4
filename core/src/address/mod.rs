//! The address normaliser: from any text to the components of a Japanese address, each with its bytes in the text.
//!
//! `normalize` folds the text into `units` and matches them against the names of the [`gazetteer`] (`name_match`).
//! `area` finds prefecture and municipality; `town`, `kyoto` and `below_city` find what is below them; `correct`
//! finds the place of a misspelt address; [`tail`] reads lot, building, floor and room. `rows` orders the records of an address,
//! and `alternatives` inserts the records of its other possible meanings after the first. Every text has a result whose
//! spans cover the text without gap or overlap. Pure: knows no file, clock or HTTP.

pub mod gazetteer;
pub mod points;
pub mod suggest;

mod alternatives;
mod area;
mod below_city;
mod building;
mod correct;
mod counter;
mod cover;
mod decoration;
mod english;
mod kyoto;
mod name_match;
pub mod normalize;
pub mod places;
mod reading;
pub mod reference;
mod repair;
mod result;
mod row_query;
pub mod rows;
mod similar_towns;
pub mod tail;
mod town;
mod units;

use crate::text::codes::PostalCode;
use crate::work::{StopReason, WorkBudget};
pub use points::{Degrees, Point, PointLevel};
pub use result::{
    Address, Component, Correction, CorrectionKind, MatchLevel, ResolvedLevel, Span, SpanKind,
};

/// Scratch buffers, reused between calls. Once they have grown, normalising hardly allocates.
#[derive(Debug, Clone, Default)]
pub struct AddressScratch {
    pub normalize: normalize::NormalizeScratch,
    pub rows: rows::RowScratch,
}

/// Reads a text into `address`, and decides between the postal codes of its place. `beside`: a postal code that stands
/// beside the text, in another column of a file.
pub fn read(
    reference: reference::ReferenceData<'_>,
    text: &str,
    beside: Option<PostalCode>,
    scratch: &mut AddressScratch,
    address: &mut Address,
) {
    let work = WorkBudget::unlimited();
    read_within(reference, text, beside, scratch, address, &work)
        .expect("an unlimited budget suffices");
}

/// [`read`] within a budget. If that does not suffice, `address` is not complete.
pub fn read_within(
    reference: reference::ReferenceData<'_>,
    text: &str,
    beside: Option<PostalCode>,
    scratch: &mut AddressScratch,
    address: &mut Address,
    work: &WorkBudget<'_>,
) -> Result<(), StopReason> {
    normalize::normalize(reference, text, beside, &mut scratch.normalize, address, work)?;
    rows::decide(reference, address, &mut scratch.rows);
    Ok(())
}

#[cfg(test)]
mod tests;
