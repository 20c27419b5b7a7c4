//! Pure functions on Japanese text and codes; total on any input.

pub mod codes;
pub mod fold;
pub mod half_width;
pub mod kana;
pub mod key_mask;
pub mod kind_words;
pub mod loose_name;
pub mod named_enum;
pub mod network;
pub mod numerals;
pub mod one_error;
pub mod percent;
pub mod prefecture_name;
pub mod printable;
pub mod romaji;
pub mod roman_key;
pub mod spelled_letters;
pub mod spellings;
pub mod transfer_name;
pub mod typed_keys;
