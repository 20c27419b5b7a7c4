//! The search core of daicho: what it takes to store Japanese reference data in one file and to find rows in it.
//!
//! [`text`] parses codes and folds text. [`snapshot`] is the file and its versions. [`record`] has the parts that
//! records of several datasets share, and postal records, which the normaliser in [`address`] reads. [`index`] maps
//! keys and keywords to rows. [`query`] is the language of `q` and its evaluation. [`calendar`] knows holidays.
//! [`system`] has what differs by operating system, for the packages above too.
//!
//! Pure: no clock, no sockets, no HTTP types, and from the disk only snapshot files. Knows no source files.

pub mod address;
pub mod calendar;
pub mod index;
pub mod query;
pub mod record;
pub mod snapshot;
pub mod system;
pub mod text;
pub mod work;
