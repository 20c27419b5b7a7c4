//! Reads the register of qualified invoice issuers from archives as the tax agency packs them, and refuses invalid
//! archives.

mod support;

use build_tools::invoice::{InvoiceFile, read_invoice};
use build_tools::stream::Input;
use build_tools::{Kind, SourceError};
use support::zip;

const CITY: &str = "1,\"T1000020012131\",01,0,2,1,1,2023-10-01,2022-06-13,,,\
    \"北海道苫小牧市旭町４丁目５－６\",01,213,\"\",,,\"\",\"苫小牧市\",\"\",,,\"\",\"\"\n";

/// The numbers of the rows, and the files.
fn read(name: &str, bytes: &[u8], kind: Kind) -> Result<(Vec<u64>, Vec<InvoiceFile>), SourceError> {
    let mut numbers = Vec::new();
    let sink = &mut |row: build_tools::invoice::InvoiceRow<'_>| numbers.push(row.number);
    let files = read_invoice(Input::Bytes(name, bytes), kind, sink, &mut |_, _| {})?;
    Ok((numbers, files))
}

#[test]
fn zips_in_the_form_of_the_site_are_read() {
    let signature = b"-----BEGIN PGP SIGNATURE-----".as_slice();
    for (name, member, kind, published) in [
        ("h_all_20260831_csv_001.zip", "h_all_20260831_001.csv", Kind::InvoiceFull, 20_260_831),
        ("j_all_20260831_csv.zip", "j_all_20260831.csv", Kind::InvoiceFull, 20_260_831),
        ("k_all_20260831_csv_001.zip", "k_all_20260831_001.csv", Kind::InvoiceFull, 20_260_831),
        ("diff_20260910_csv.zip", "diff_20260910.csv", Kind::InvoiceDifference, 20_260_910),
    ] {
        let with_signature = [(member, CITY.as_bytes()), ("x.csv.asc", signature)];
        for members in [&with_signature[..], &with_signature[..1]] {
            let (numbers, files) = read(name, &zip(members), kind).expect(name);
            assert_eq!(numbers, [1_000_020_012_131], "{name}");
            assert_eq!((files.len(), files[0].published), (1, published), "{name}");
            assert_eq!(files[0].name, format!("{name}#{member}"));
        }
    }
    let parts = [("h_all_1.zip", zip(&[("h_all_20260831_001.csv", CITY.as_bytes())]))];
    let parts: Vec<(&str, &[u8])> = parts.iter().map(|(name, zip)| (*name, &zip[..])).collect();
    let (numbers, _) =
        read("all.zip", &zip(&parts), Kind::InvoiceFull).expect("an archive of zips");
    assert_eq!(numbers.len(), 1);
}

#[test]
fn invalid_archives_are_refused() {
    #[track_caller]
    fn check(bytes: &[u8], kind: Kind, expected: &str) {
        let error = read("h_all_20260831_csv_001.zip", bytes, kind).expect_err(expected);
        let message = error.to_string();
        assert!(message.contains(expected), "{message}");
        assert!(message.contains("h_all_20260831_csv_001.zip"), "{message}");
    }
    let sound = zip(&[("h_all_20260831_001.csv", CITY.as_bytes())]);
    let full = Kind::InvoiceFull;
    check(&sound[..sound.len() - 30], full, "cut short");
    let mut damaged = sound.clone();
    damaged[40 + 30] ^= 0xff;
    check(&damaged, full, "h_all_20260831");
    check(&zip(&[]), full, "found no file at all");
    check(&zip(&[("a.csv", b"x"), ("b.csv", b"y")]), full, "found 2 (a.csv, b.csv)");
    check(&zip(&[("other.csv", b"<html>\n")]), full, "a first line with 1");
    check(&zip(&[("h_all_20260831_001.csv", b"")]), full, "found an empty file");
    let difference = zip(&[("diff_20260910.csv", CITY.as_bytes())]);
    check(&difference, full, "give this file with --diff");
    check(&sound, Kind::InvoiceDifference, "give this file with --full");
}
