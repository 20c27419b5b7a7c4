//! Official files included in the program, as published, packed: a month of Japan Post's postal codes and the
//! corporations of Tottori. Their terms are in DATA-LICENCES.md.

use crate::stream::Input;
use crate::{error::SourceError, kind::Kind, open::Source};

/// The release date of the month.
pub const POSTAL_VERSION: &str = "2026-05-29";

/// The date of the full file.
pub const CORPORATE_VERSION: &str = "2026-07-31";

/// The credit that must be shown with the corporations.
pub const CORPORATE_CREDIT: &str = "出典：国税庁法人番号公表サイト（国税庁）\
                                    （https://www.houjin-bangou.nta.go.jp/）を加工して作成";

macro_rules! included_file {
    ($name:literal) => {
        (concat!("included/", $name), include_bytes!(concat!("../included/", $name)))
    };
}

const AREA: (&str, &[u8]) = included_file!("utf_ken_all.csv.xz");
const BUSINESS: (&str, &[u8]) = included_file!("JIGYOSYO.CSV.xz");
const CORPORATIONS: (&str, &[u8]) = included_file!("31_tottori_all_20260731.csv.zst");

/// utf_ken_all of the month.
pub fn area() -> Result<Source, SourceError> {
    Source::unpack(AREA.0, AREA.1, Kind::Area, None)
}

/// JIGYOSYO of the month.
pub fn business() -> Result<Source, SourceError> {
    Source::unpack(BUSINESS.0, BUSINESS.1, Kind::Business, None)
}

pub fn corporations() -> Input<'static> {
    Input::Bytes(CORPORATIONS.0, CORPORATIONS.1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::corporate::{Role, read_corporate};
    use crate::postal::{read_area, read_business};

    #[test]
    fn the_files_are_complete_and_read_without_rejects() {
        let quiet = &mut |_, _| {};
        let areas = read_area(area().expect("unpacks"), quiet).expect("reads");
        assert_eq!((areas.lines, areas.rejects.len()), (124_511, 0));
        let businesses = read_business(business().expect("unpacks"), quiet).expect("reads");
        assert_eq!((businesses.rows.len(), businesses.rejects.len()), (22_416, 0));
        let mut rows = 0;
        let read = read_corporate(corporations(), Role::Full, &mut |_| rows += 1, quiet);
        let file = &read.expect("reads")[0];
        assert_eq!((rows, file.rejects.len(), file.missing), (20_214, 0, 0));
        assert_eq!(file.date.to_string(), CORPORATE_VERSION.replace('-', ""));
        assert_eq!(file.prefectures.codes().collect::<Vec<u8>>(), [31]);
    }
}
