//! What stands behind the town: the lot, the building, its floor and room.
//!
//! ```text
//! 字東浜 甲１２番地の３　サンビル（２階２０１号）　山田商事
//! aza   lot           building floor_room        unplaced      lot_num = "12-3"
//! ```
//!
//! Total: any text gives spans that lie in order, do not overlap, and cover it; a text in which no
//! lot, building or floor is found stays whole. Time is linear in the text. All count in folded
//! characters; only the result has bytes.
//!
//! Does not know which aza and towns exist: an aza in front of the lot is returned as it stands.

mod floor;
mod lot;
mod number;
mod parse;
mod premises;
mod remainder;
mod result;
mod scan;
mod sequence;
mod words;

pub use parse::parse;
pub use result::{Context, LotNumbers, Part, Tail, TailSpan};

#[cfg(test)]
mod tests;
