//! The address normaliser: any text to the components of a Japanese address, with the bytes that each came from.
//!
//! `normalize` folds the text into `units` and walks along the names of the [`gazetteer`] (`walk`): `area` finds
//! prefecture and municipality, `town`, `kyoto` and `below_city` what stands below them, `near` what is misspelt, [`tail`]
//! lot, building, floor and room. `rows` puts the records of an address in order, and `behind` those that it could mean
//! otherwise behind the first. Every text gives an answer, whose spans cover the text without gap or overlap. Pure: knows no file,
//! clock or HTTP.

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

/// Scratch buffers, reused between calls: with buffers that have grown an address allocates nothing.
#[derive(Debug, Clone, Default)]
pub struct AddressScratch {
    pub(crate) normalize: normalize::Scratch,
    pub(crate) rows: rows::Scratch,
}

#[cfg(test)]
mod tests;
