//! Reads corporate files: hand-made ones in every packing and cut short, and all real files.

mod support;

use std::path::Path;

use build_tools::SourceError;
use build_tools::corporate::{CorporateFile, Encoding, Role, read_corporate};
use build_tools::stream::Input;
use daicho_core::text::codes::CorporateNumber;
use support::shared_data::official;
use support::{gzip, tar, xz, zip, zst};

fn line(sequence: u32) -> String {
    let body = 10_001_999_900 + u64::from(sequence);
    let number = CorporateNumber::from_body(body).expect("twelve digits");
    format!(
        "{sequence},{number},01,0,2026-08-03,2026-08-03,\"台帳{sequence}\",,301,\"東京都\",\
         \"千代田区\",\"丸の内\",,13,101,1000005,,,,,,,2026-08-03,1,,,,,\"ダイチョウ\",0\n"
    )
}

fn read(path: &Path, role: Role) -> Result<(u64, Vec<CorporateFile>), SourceError> {
    let mut rows = 0;
    let files = read_corporate(Input::Path(path), role, &mut |_| rows += 1, &mut |_, _| {})?;
    Ok((rows, files))
}

#[test]
fn every_packing_gives_the_same_rows() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("source");
    let day = line(1) + &line(2);
    let next = line(3).replace("2026-08-03", "2026-08-04");
    let (day, next) = (day.as_bytes(), next.as_bytes());
    let signature: &[u8] = b"-----BEGIN PGP SIGNATURE-----";
    let two = [("diff_20260803.csv", day), ("diff_20260803.csv.asc", signature)];
    let later = [("diff_20260804.csv", next)];
    let both = [two[0], later[0], two[1]];
    let zips = [("diff_20260803.zip", zip(&two)), ("2026/diff_20260804.zip", zip(&later))];
    let zips: Vec<(&str, &[u8])> = zips.iter().map(|(name, bytes)| (*name, &bytes[..])).collect();
    for (bytes, files) in [
        (day.to_vec(), 1),
        (zst(day), 1),
        (xz(day), 1),
        (gzip(day), 1),
        (zip(&two), 1),
        (zip(&[("any name.txt", day)]), 1),
        (tar(&two), 1),
        (zst(&tar(&both)), 2),
        (gzip(&tar(&both)), 2),
        (xz(&tar(&both)), 2),
        (zip(&both), 2),
        (zst(&tar(&zips)), 2),
        (tar(&[("diff_20260803.csv.zst", &zst(day)), later[0]]), 2),
    ] {
        std::fs::write(&path, &bytes).expect("written");
        let (rows, found) = read(&path, Role::Difference).expect("reads");
        let expected = if files == 2 { 3 } else { 2 };
        assert_eq!((rows, found.len()), (expected, files), "{found:?}");
        assert_eq!(found[0].date, 20_260_803);
    }
    for (bytes, expected) in [
        (zip(&[("a.csv", day), ("b.csv", day)]), "expected a member that is"),
        (tar(&[("a.csv", day)]), "expected a member that is"),
        (b"Rar!x".to_vec(), "found RAR"),
        (Vec::new(), "found an empty file"),
        (zst(b""), "found an empty file"),
    ] {
        std::fs::write(&path, &bytes).expect("written");
        let message = read(&path, Role::Difference).expect_err(expected).to_string();
        assert!(message.contains(expected), "{message}");
    }
    let message = read(Path::new("/nowhere"), Role::Full).expect_err("a missing path").to_string();
    assert!(message.contains("check the path"), "{message}");
}

#[test]
fn cut_archives_are_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("source");
    let day: String = (1..400).map(line).collect();
    let day = day.as_bytes();
    let member = [("diff_20260803.csv", day)];
    for whole in [zst(day), xz(day), gzip(day), zip(&member), tar(&member), day.to_vec()] {
        for length in [1, 10, whole.len() / 2, whole.len() - 1_100] {
            std::fs::write(&path, &whole[..length]).expect("written");
            let found = read(&path, Role::Difference);
            assert!(found.is_err(), "{length} of {} bytes: {found:?}", whole.len());
        }
    }
}

#[needs::official_data]
#[test]
fn every_real_file_is_read_without_rejects() {
    let folder = official("corporate");
    let manifest = std::fs::read_to_string(folder.join("MANIFEST.csv")).expect("a list");
    let (mut total, mut files, mut widths) = (0, 0, std::collections::BTreeMap::new());
    for entry in manifest.lines().skip(1) {
        let fields: Vec<&str> = entry.split(',').collect();
        let [path, _, _, _, lines, encoding, ..] = fields[..] else { panic!("{entry}") };
        let role = match path {
            _ if path.starts_with("s") => continue,
            _ if path.contains("_all_") => Role::Full,
            _ if path.contains("diff_") && !path.ends_with(".asc") => Role::Difference,
            _ => continue,
        };
        let (rows, found) = read(&folder.join(path), role).expect(path);
        assert_eq!(lines.parse(), Ok(rows), "{path}");
        for file in &found {
            let rejects: Vec<String> = file.rejects.iter().map(ToString::to_string).collect();
            assert_eq!((rejects, file.missing), (Vec::new(), 0), "{}", file.name);
            *widths.entry(file.columns).or_insert(0) += file.rows;
            match encoding {
                "UTF-8" => assert_eq!(file.encoding, Some(Encoding::Utf8), "{}", file.name),
                "Shift_JIS" => assert_eq!(file.encoding, Some(Encoding::ShiftJis), "{}", file.name),
                _ => {}
            }
        }
        (total, files) = (total + rows, files + found.len());
    }
    println!("{files} files, {total} rows, none rejected; by columns: {widths:?}");
    assert!(total > 1_300_000, "the files were read");
}
