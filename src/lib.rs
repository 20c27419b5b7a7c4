//! daicho: a self-hosted server for Japanese reference data.

pub mod text;
