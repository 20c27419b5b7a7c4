//! Fuzz target of the readers of official files: any bytes give rows and rejects, or an error, and never a panic. There
//! are at most as many rows and rejects as lines.

use build_tools::corporate::{CorporateRow, Role, read_corporate};
use build_tools::invoice::{InvoiceRow, read_invoice};
use build_tools::stream::Input;
use build_tools::{Batch, Files, Kind, Progress, Source, SourceError, bank, postal, school};

type Reader = fn(&[u8]);

/// The readers; the first byte of an input chooses one.
const READERS: [Reader; 12] = [
    |bytes| rows(bytes, ("utf_ken_all.csv", Kind::Area), postal::read_area),
    |bytes| rows(bytes, ("JIGYOSYO.CSV", Kind::Business), postal::read_business),
    |bytes| rows(bytes, ("KEN_ALL_ROME.CSV", Kind::Roman), postal::read_roman),
    |bytes| rows(bytes, ("addressing.csv", Kind::Addressing), postal::read_addressing),
    |bytes| rows(bytes, ("towns.csv", Kind::Towns), postal::read_towns),
    |bytes| {
        let source = Source::unpack("utf_add_2606.csv", bytes.to_vec(), Kind::Update, None);
        drop(source.and_then(|source| postal::read_update(source, &mut |_, _| {})));
    },
    |bytes| {
        let files = Files::unpack("bank.csv", bytes.to_vec(), Kind::Bank);
        drop(files.and_then(|files| bank::read_bank(&files, &mut |_, _| {})));
    },
    |bytes| {
        let files = Files::unpack("school.csv", bytes.to_vec(), Kind::School);
        drop(files.and_then(|files| school::read_schools(&[files], &mut |_, _| {})));
    },
    |bytes| corporations("00_zenkoku_all_20260731.csv", bytes, Role::Full),
    |bytes| corporations("diff_20260803.csv", bytes, Role::Difference),
    |bytes| issuers("h_all_20260731_001.csv", bytes, Kind::InvoiceFull),
    |bytes| issuers("diff_20260804.csv", bytes, Kind::InvoiceDifference),
];

/// The first byte chooses the reader, the rest is the file.
pub fn run(input: &[u8]) {
    let Some((&first, bytes)) = input.split_first() else { return };
    READERS[usize::from(first) % READERS.len()](bytes);
}

fn rows<T>(
    bytes: &[u8],
    (name, kind): (&str, Kind),
    read: impl Fn(Source, Progress<'_>) -> Result<Batch<T>, SourceError>,
) {
    let source = Source::unpack(name, bytes.to_vec(), kind, None);
    let Ok(batch) = source.and_then(|source| read(source, &mut |_, _| {})) else { return };
    let (rows, rejects) = (batch.rows.len() as u64, batch.rejects.len() as u64);
    assert!(rows + rejects <= batch.lines, "{rows} rows, {rejects} rejects, {} lines", batch.lines);
}

fn corporations(name: &str, bytes: &[u8], role: Role) {
    let mut rows = 0;
    let mut sink = |_row: CorporateRow<'_>| rows += 1;
    let read = read_corporate(Input::Bytes(name, bytes), role, &mut sink, &mut |_, _| {});
    let Ok(files) = read else { return };
    assert_eq!(files.iter().map(|file| file.rows).sum::<u64>(), rows);
}

fn issuers(name: &str, bytes: &[u8], kind: Kind) {
    let mut rows = 0;
    let mut sink = |_row: InvoiceRow<'_>| rows += 1;
    let read = read_invoice(Input::Bytes(name, bytes), kind, &mut sink, &mut |_, _| {});
    let Ok(files) = read else { return };
    assert_eq!(files.iter().map(|file| file.rows).sum::<u64>(), rows);
}

macro_rules! sample {
    ($($reader:literal $name:literal),* $(,)?) => {
        [$(($reader, include_bytes!(concat!("../../build-tools/sample/", $name)).as_slice())),*]
    };
}

/// The sample files, each after the number of its reader.
pub fn seeds() -> Vec<Vec<u8>> {
    let files = sample![
        0_u8 "2022-06-30/KEN_ALL.CSV",
        0 "2026-06-30/utf_ken_all.csv",
        1 "2026-06-30/JIGYOSYO.CSV",
        2 "2026-06-30/KEN_ALL_ROME.CSV",
        3 "2026-06-30/mt_town_all.csv",
        4 "2026-06-30/towns.csv",
        5 "2026-06-30/utf_add_2606.csv",
        6 "2026-05-25/ginkositen1.txt",
        6 "2025-06-10/banks.json",
        7 "2026-08-25/20260825-mxt_chousa01-000011635_2-1.csv",
        8 "2026-07-31/00_zenkoku_all_20260731.csv",
        9 "2026-08-03/diff_20260803.csv",
        10 "2026-07-31/h_all_20260731_001.csv",
        11 "2026-08-04/diff_20260804.csv",
    ];
    files.iter().map(|(reader, bytes)| [&[*reader], *bytes].concat()).collect()
}
