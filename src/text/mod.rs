//! Text and codes as the data use them: codes parsed once at the edge, characters folded, readings
//! to Roman letters.
//!
//! Everything here is a pure function of its arguments, total on any input, and knows nothing of
//! where the text comes from.

pub mod bank_reading;
pub mod codes;
pub mod fold;

pub mod kind_words;
pub mod name_form;
pub mod name_key;
pub mod numerals;
pub mod percent;
pub mod prefecture;
pub mod romaji;
mod romaji_supplements;
mod romaji_syllables;
