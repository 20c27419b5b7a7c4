//! Sweeps of the address normaliser over a real month: large sets made from the official files by
//! rules that do not depend on the normaliser, each with its count of cases and misses.
//!
//! `romaji` compares the Roman names with those that Japan Post prints.
//!
//! Skipped, said aloud, where the official files are not at hand. `DAICHO_SWEEP_ALL=1` runs every
//! case of the sweeps that otherwise take a seeded sample. All misses are written below
//! `target/tmp/address-misses`.

mod businesses;
mod case;
mod cases;
mod corporate;
mod jo_jiwari;
mod koaza;
mod kyoto;
mod month;
mod romaji;
mod romaji_agreement;
mod sets;
#[path = "../support/shared_data.rs"]
mod shared_data;
mod totality;
mod towers;
mod towns;
mod writing;
