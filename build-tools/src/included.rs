//! Data included in the program: official files as published, packed, and the project's own sample in the official
//! formats.
//!
//! The official files are a month of Japan Post's postal codes and the corporations of Tottori. Their terms are in
//! DATA-LICENCES.md. The sample has three editions, the first in Shift_JIS with split lines, the others in UTF-8, and
//! two bank directories, one in each format. `build-tools/sample/README.md` explains the purpose of each row.

use crate::files::Files;
use crate::stream::Input;
use crate::{error::Result, kind::Kind, open::Source};

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
const TOTTORI: (&str, &[u8]) = included_file!("31_tottori_all_20260731.csv.zst");

/// utf_ken_all of the month.
pub fn area() -> Result<Source> {
    Source::unpack(AREA.0, AREA.1, Kind::Area, None)
}

/// JIGYOSYO of the month.
pub fn business() -> Result<Source> {
    Source::unpack(BUSINESS.0, BUSINESS.1, Kind::Business, None)
}

pub fn corporations() -> Input<'static> {
    Input::Bytes(TOTTORI.0, TOTTORI.1)
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SampleFile {
    /// Edition and official name: `2026-06-30/utf_ken_all.csv`.
    pub name: &'static str,
    pub bytes: &'static [u8],
}

impl SampleFile {
    pub fn source(&self) -> Source {
        Source::from_bytes(format!("sample/{}", self.name), self.bytes)
    }

    pub fn input(&self) -> Input<'static> {
        Input::Bytes(self.name, self.bytes)
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SampleEdition {
    pub version: &'static str,
    pub area: SampleFile,
    pub business: SampleFile,
    pub roman: Option<SampleFile>,
    pub addressing: Option<SampleFile>,
    pub towns: Option<SampleFile>,
    /// For [`crate::postal::read_update`]: the changes since the edition before.
    pub updates: &'static [SampleFile],
}

/// The files of one edition that are read as one source.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SampleFolder {
    pub version: &'static str,
    kind: Kind,
    files: &'static [SampleFile],
}

impl SampleFolder {
    pub fn files(&self) -> Files {
        let members = self.files.iter().map(|file| {
            let path = file.name.split_once('/').map_or(file.name, |(_, path)| path);
            (path, file.bytes)
        });
        Files::from_members(format!("sample/{}", self.version), self.kind, members)
    }
}

/// Full files of an earlier day, and the differences up to this version.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SampleDays {
    pub version: &'static str,
    pub full: &'static [SampleFile],
    pub differences: &'static [SampleFile],
}

macro_rules! sample_file {
    ($name:literal) => {
        SampleFile { name: $name, bytes: include_bytes!(concat!("../sample/", $name)) }
    };
}

pub static EDITIONS: [SampleEdition; 3] = [
    SampleEdition {
        version: "2022-06-30",
        area: sample_file!("2022-06-30/KEN_ALL.CSV"),
        business: sample_file!("2022-06-30/JIGYOSYO.CSV"),
        roman: None,
        addressing: None,
        towns: None,
        updates: &[],
    },
    SampleEdition {
        version: "2026-05-29",
        area: sample_file!("2026-05-29/utf_ken_all.csv"),
        business: sample_file!("2026-05-29/JIGYOSYO.CSV"),
        roman: None,
        addressing: None,
        towns: None,
        updates: &[],
    },
    SampleEdition {
        version: "2026-06-30",
        area: sample_file!("2026-06-30/utf_ken_all.csv"),
        business: sample_file!("2026-06-30/JIGYOSYO.CSV"),
        roman: Some(sample_file!("2026-06-30/KEN_ALL_ROME.CSV")),
        addressing: Some(sample_file!("2026-06-30/mt_town_all.csv")),
        towns: Some(sample_file!("2026-06-30/towns.csv")),
        updates: &[
            sample_file!("2026-06-30/utf_add_2606.csv"),
            sample_file!("2026-06-30/utf_del_2606.csv"),
            sample_file!("2026-06-30/JADD2606.CSV"),
            sample_file!("2026-06-30/JDEL2606.CSV"),
        ],
    },
];

const CORPORATIONS_FULL: &[SampleFile] = &[sample_file!("2026-07-31/00_zenkoku_all_20260731.csv")];

pub static CORPORATIONS: [SampleDays; 2] = [
    SampleDays { version: "2026-07-31", full: CORPORATIONS_FULL, differences: &[] },
    SampleDays {
        version: "2026-08-03",
        full: CORPORATIONS_FULL,
        differences: &[sample_file!("2026-08-03/diff_20260803.csv")],
    },
];

/// Corporations, associations and individuals.
const REGISTER_FULL: &[SampleFile] = &[
    sample_file!("2026-07-31/h_all_20260731_001.csv"),
    sample_file!("2026-07-31/j_all_20260731.csv"),
    sample_file!("2026-07-31/k_all_20260731_001.csv"),
];

/// The register of qualified invoice issuers.
pub static REGISTERS: [SampleDays; 2] = [
    SampleDays { version: "2026-07-31", full: REGISTER_FULL, differences: &[] },
    SampleDays {
        version: "2026-08-04",
        full: REGISTER_FULL,
        differences: &[sample_file!("2026-08-04/diff_20260804.csv")],
    },
];

pub static DIRECTORIES: [SampleFolder; 2] = [
    SampleFolder {
        version: "2025-06-10",
        kind: Kind::Bank,
        files: &[
            sample_file!("2025-06-10/banks.json"),
            sample_file!("2025-06-10/branches/0001.json"),
            sample_file!("2025-06-10/branches/0002.json"),
            sample_file!("2025-06-10/branches/0003.json"),
            sample_file!("2025-06-10/branches/0901.json"),
            sample_file!("2025-06-10/branches/1901.json"),
            sample_file!("2025-06-10/branches/2901.json"),
            sample_file!("2025-06-10/branches/2991.json"),
            sample_file!("2025-06-10/branches/3901.json"),
            sample_file!("2025-06-10/branches/9491.json"),
            sample_file!("2025-06-10/branches/9991.json"),
        ],
    },
    SampleFolder {
        version: "2026-05-25",
        kind: Kind::Bank,
        files: &[sample_file!("2026-05-25/ginkositen1.txt")],
    },
];

/// The lists of school codes of one edition.
pub static SCHOOL_LISTS: [SampleFolder; 1] = [SampleFolder {
    version: "2026-08-25",
    kind: Kind::School,
    files: &[
        sample_file!("2026-08-25/20260825-mxt_chousa01-000011635_2-1.csv"),
        sample_file!("2026-08-25/20260825-mxt_chousa01-000011635_6.csv"),
    ],
}];

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

#[cfg(test)]
mod sample_tests {
    use super::*;
    use crate::Batch;
    use crate::postal::{
        AreaRow, Update, read_addressing, read_area, read_business, read_roman, read_towns,
        read_update,
    };

    #[track_caller]
    fn check<T>(batch: Batch<T>, lines: u64, rows: usize) -> Vec<T> {
        assert_eq!(batch.rejects, []);
        assert_eq!((batch.lines, batch.rows.len()), (lines, rows));
        batch.rows
    }

    fn area(edition: usize) -> Vec<AreaRow> {
        let source = EDITIONS[edition].area.source();
        read_area(source, &mut |_, _| {}).expect("the sample reads").rows
    }

    #[test]
    fn every_file_reads_without_rejects() {
        let quiet = &mut |_, _| {};
        let expected = [(115, 100, 20), (98, 98, 21), (102, 102, 21)];
        for (edition, (lines, rows, businesses)) in EDITIONS.iter().zip(expected) {
            check(read_area(edition.area.source(), quiet).expect("reads"), lines, rows);
            let business = read_business(edition.business.source(), quiet).expect("reads");
            check(business, businesses as u64, businesses);
        }
        let last = EDITIONS.last().expect("three editions");
        let roman = last.roman.expect("the last edition has it").source();
        check(read_roman(roman, quiet).expect("reads"), 113, 113);
        let addressing = last.addressing.expect("the last edition has it").source();
        let points = last.towns.expect("the last edition has it").source();
        let points = check(read_towns(points, quiet).expect("reads"), 17, 16);
        assert_eq!(points.iter().filter(|row| row.point.is_none()).count(), 1);
        let towns = check(read_addressing(addressing, quiet).expect("reads"), 23, 18);
        // Two rows of one chome, with and without residence indication.
        assert!(towns.iter().any(|row| row.town == "麹町" && row.residence_indication));
        assert!(towns.iter().any(|row| row.town == "鷲之巣５０地割"));
        assert!(towns.iter().all(|row| row.town != "台帳旧町"), "abolished in 1966");
    }

    #[test]
    fn both_bank_directories_read_without_rejects() {
        let expected = [(9, 21, 1), (9, 25, 0)];
        for (directory, (banks, branches, abolished)) in DIRECTORIES.iter().zip(expected) {
            let read = crate::bank::read_bank(&directory.files(), &mut |_, _| {}).expect("reads");
            check(read.banks, banks as u64, banks);
            check(read.branches, branches as u64, branches);
            assert_eq!(read.abolished, abolished, "{}", directory.version);
        }
    }

    #[test]
    fn school_lists_read_without_rejects() {
        let lists = SCHOOL_LISTS.iter().map(SampleFolder::files).collect::<Vec<_>>();
        let read = crate::school::read_schools(&lists, &mut |_, _| {}).expect("reads");
        // The lines include headers and a title; one code has a wrong check digit.
        check(read.batch, 16, 11);
        assert_eq!(read.wrong_check_digits.len(), 1);
    }

    #[test]
    fn corporate_files_read_without_rejects() {
        use crate::corporate::{Role, read_corporate};
        use crate::stream::Input;
        let last = CORPORATIONS.last().expect("two versions");
        for (file, role, expected) in
            [(last.full[0], Role::Full, 23), (last.differences[0], Role::Difference, 7)]
        {
            let mut rows = 0;
            let input = Input::Bytes(file.name, file.bytes);
            let read = read_corporate(input, role, &mut |_| rows += 1, &mut |_, _| {});
            let read = read.expect("the sample reads");
            assert_eq!((rows, read[0].rejects.len(), read[0].missing), (expected, 0, 0));
        }
    }

    #[test]
    fn differences_turn_each_edition_into_the_next() {
        // Columns 14 and 15 are reset each month, so they are left out.
        let key = |row: &AreaRow| {
            let mut row = row.clone();
            (row.line, row.update_status, row.update_reason) = (0, 0, 0);
            format!("{row:?}")
        };
        let mut rows: Vec<String> = area(1).iter().map(key).collect();
        for update in EDITIONS[2].updates {
            match read_update(update.source(), &mut |_, _| {}).expect("the sample reads") {
                Update::AreaRemoved(batch) => {
                    for row in check(batch, 3, 3) {
                        let at = rows.iter().position(|other| *other == key(&row));
                        rows.swap_remove(at.expect("a removed row was there before"));
                    }
                }
                Update::AreaAdded(batch) => rows.extend(check(batch, 7, 7).iter().map(key)),
                Update::BusinessAdded(batch) => assert_eq!(check(batch, 2, 2)[0].amendment, 1),
                Update::BusinessRemoved(batch) => assert_eq!(check(batch, 2, 2)[0].amendment, 5),
                Update::Empty => panic!("{} has content", update.name),
            }
        }
        let mut expected: Vec<String> = area(2).iter().map(key).collect();
        rows.sort_unstable();
        expected.sort_unstable();
        assert_eq!(rows, expected);
    }

    #[test]
    fn joined_lines_equal_the_utf8_edition() {
        let (old, new) = (area(0), area(1));
        for code in [6_028_368, 6_028_364, 482_402, 3_842_304, 9_960_301, 330_072] {
            let find = |rows: &[AreaRow]| rows.iter().find(|row| row.postal_code == code).cloned();
            let (old, new) = (find(&old).expect("in both"), find(&new).expect("in both"));
            assert_eq!((old.town, old.town_kana), (new.town, new.town_kana), "{code:07}");
        }
    }
}
