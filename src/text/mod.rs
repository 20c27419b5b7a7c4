//! Text and codes as the data use them: parsed once at the edge, trusted ever after.

pub mod codes;
