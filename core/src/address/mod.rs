//! The address normaliser: from any text to the components of a Japanese address, each with its bytes in the text.
//!
//! `normalize` folds the text into `units` and matches them against the names of the [`gazetteer`] (`name_match`).
//! `area` finds prefecture and municipality; `town`, `kyoto` and `below_city` find what is below them; `near`
//! corrects misspelt towns; [`tail`] reads lot, building, floor and room. `rows` orders the records of an address,
//! and `alternatives` inserts the records of its other possible meanings after the first. Every text has a result whose
//! spans cover the text without gap or overlap. Pure: knows no file, clock or HTTP.

pub mod gazetteer;
pub mod points;
pub mod suggest;

mod alternatives;
mod area;
mod below_city;
mod building;
mod counter;
mod cover;
mod kyoto;
mod name_match;
mod near;
pub mod normalize;
pub mod places;
mod result;
mod row_query;
pub mod rows;
mod similar_towns;
pub mod tail;
mod town;
mod units;

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

#[cfg(test)]
mod tests;
