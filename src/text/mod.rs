//! Pure functions on Japanese text and codes; total on any input.

pub mod amounts;
pub mod bank_reading;
pub mod beginning;
pub mod codes;
pub mod fold;
pub mod hyphen;
pub mod kana;
pub mod kind_words;
pub mod macron;
pub mod masked;
pub mod name_form;
pub mod name_key;
pub mod named;
pub mod network;
pub mod numerals;
pub mod percent;
pub mod prefecture;
pub mod romaji;
mod romaji_supplements;
mod romaji_syllables;
pub mod roman_key;
pub mod spellings;
pub mod suggested;
