//! Members of records, each declared in one line: what it is called, what it is, what it means, in which API versions
//! it is, and how it is read. The JSON, the documented shape and the columns of exports follow from that line.
//!
//! `members!` declares the members of a record. Knows no record.

mod answer;
mod declare;
pub mod shape;
mod value;

pub use answer::{Fragments, Prepared, write_answer, write_answers, write_found};
pub(crate) use declare::members;
pub use declare::{check_optional, check_shape};
pub use shape::{MemberColumn, columns, documented_columns};
pub use value::{
    Ascii, Codes, Day, Digits, InList, ListOf, MemberKey, MemberValue, Members, NumberInQuotes,
    OrEmpty, non_empty, text_or_none,
};

#[cfg(test)]
mod tests;
