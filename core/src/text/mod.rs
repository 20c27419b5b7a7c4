//! Pure functions on Japanese text and codes; total on any input.

pub mod amounts;
pub mod bank_reading;
pub mod codes;
pub mod fold;
pub mod hyphen;
pub mod kana;
pub mod key_mask;
pub mod kind_words;
pub mod match_info;
pub mod name_form;
pub mod name_key;
pub mod named_enum;
pub mod network;
pub mod numerals;
pub mod percent;
pub mod prefecture;
pub mod romaji;
mod romaji_supplements;
mod romaji_syllables;
pub mod roman_key;
pub mod spellings;
pub mod typed_keys;
