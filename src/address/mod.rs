//! The address normaliser: from any text to the components of a Japanese address, each with its bytes in the text.
//!
//! `normalize` folds the text into `units` and matches them against the names of the [`gazetteer`] (`walk`). `area`
//! finds prefecture and municipality; `town`, `kyoto` and `below_city` find what is below them; `near` corrects
//! misspelt towns; [`tail`] reads lot, building, floor and room. `rows` orders the records of an address, and
//! `behind` adds those of alternative meanings after the first. Every text has a result whose spans cover the text
//! without gap or overlap. Pure: knows no file, clock or HTTP.

pub mod gazetteer;
pub mod points;
pub mod suggest;

mod area;
mod behind;
mod below_city;
mod building;
mod building_key;
mod counter;
mod cover;
mod kyoto;
mod likeness;
mod near;
pub(crate) mod normalize;
pub(crate) mod places;
mod result;
pub(crate) mod rows;
pub mod tail;
mod town;
mod units;
mod walk;

pub use points::{Degrees, Point, PointLevel};
pub use result::{
    Address, Component, Correction, CorrectionKind, MatchLevel, Piece, Resolved, Span,
};

/// Scratch buffers, reused between calls. Once they have grown, normalising does not allocate.
#[derive(Debug, Clone, Default)]
pub struct AddressScratch {
    pub(crate) normalize: normalize::Scratch,
    pub(crate) rows: rows::Scratch,
}

#[cfg(test)]
mod tests;
