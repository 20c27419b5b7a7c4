//! Sweeps of the address normaliser over a real month. Each builds a large set of cases from the
//! official files, by rules that do not depend on the normaliser, and bounds the number of misses.
//!
//! `romaji` compares the Roman names with those that Japan Post prints.
//!
//! `DAICHO_SWEEP_ALL=1` runs
//! every case of the sweeps that otherwise take a sample. All misses are written below
//! `target/tmp/address-misses`.

mod accounting;
mod businesses;
mod case;
mod cases;
mod corporate;
mod jo_jiwari;
mod koaza;
mod kyoto;
mod month;
mod nearest;
mod romaji;
mod romaji_agreement;
mod sets;
#[path = "../support/shared_data.rs"]
mod shared_data;
mod totality;
mod towers;
mod towns;
mod writing;
