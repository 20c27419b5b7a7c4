//! The tail: the text after the town, with lot, building, floor and room. 字東浜 甲１２番地の３　サンビル（２階） is an aza, a lot, a
//! building and a floor.
//!
//! `lot` finds the lot, `premises` reads what follows it, `parse` covers the text with spans. Total: the spans of any
//! text are in order, do not overlap, and cover it. Time is linear in the text. All positions are indexes of folded
//! characters; only the result has bytes. Does not know which aza and towns exist.

mod floor;
mod lot;
mod number;
mod parse;
mod premises;
mod result;
mod room;
mod scan;
mod sequence;
mod words;

pub use parse::parse;
pub use result::{Context, LotNumbers, Part, Tail, TailSpan};
pub use scan::{Text, is_common_kanji, is_digit, is_numeral, is_sign};

#[cfg(test)]
mod tests;
