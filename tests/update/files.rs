//! Files as the official sites publish them: from the sample, and official ones where the machine has them.

use std::fs;
use std::io::Read;
use std::path::Path;

use crate::replica::japanpost::Month;
use crate::shared_data;
pub use crate::zipped::zipped;

/// A file of the sample that comes with the program.
pub fn sample(name: &str) -> Vec<u8> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("build-tools/sample").join(name);
    fs::read(path).expect("a file of the sample")
}

/// The sample's May: the address file and the businesses, and no differences.
pub fn sample_may() -> Month {
    Month {
        date: "2026年5月29日".to_owned(),
        name: "2605".to_owned(),
        area: zipped(&[("utf_ken_all.csv", &sample("2026-05-29/utf_ken_all.csv"))]),
        business: zipped(&[("JIGYOSYO.CSV", &sample("2026-05-29/JIGYOSYO.CSV"))]),
        added: None,
        removed: None,
        roman: None,
    }
}

/// The sample's June, with every kind of file that a month can have.
pub fn sample_june() -> Month {
    let file = |name: &str| sample(&format!("2026-06-30/{name}"));
    Month {
        date: "2026年6月30日".to_owned(),
        name: "2606".to_owned(),
        area: zipped(&[("utf_ken_all.csv", &file("utf_ken_all.csv"))]),
        business: zipped(&[("JIGYOSYO.CSV", &file("JIGYOSYO.CSV"))]),
        added: Some(zipped(&[("utf_add_2606.csv", &file("utf_add_2606.csv"))])),
        removed: Some(zipped(&[("utf_del_2606.csv", &file("utf_del_2606.csv"))])),
        roman: Some(zipped(&[("KEN_ALL_ROME.CSV", &file("KEN_ALL_ROME.CSV"))])),
    }
}

/// The sample's town master.
pub fn sample_towns() -> Vec<u8> {
    zipped(&[("mt_town_all.csv", &sample("2026-06-30/mt_town_all.csv"))])
}

/// An official file, unpacked.
pub fn official(name: &str) -> Vec<u8> {
    unpacked(&shared_data::official(name))
}

pub fn unpacked(path: &Path) -> Vec<u8> {
    let packed = fs::read(path).expect("an official file");
    let mut bytes = Vec::new();
    match path.extension().and_then(|extension| extension.to_str()) {
        Some("xz") => liblzma::read::XzDecoder::new(&packed[..]).read_to_end(&mut bytes),
        Some("zst") => zstd::stream::copy_decode(&packed[..], &mut bytes).map(|()| bytes.len()),
        _ => return packed,
    }
    .expect("a whole file");
    bytes
}

/// A file of the sample as text. The sample has UTF-8 and Shift_JIS files.
pub fn sample_text(name: &str) -> String {
    String::from_utf8(sample(name)).unwrap_or_else(|error| decoded(error.as_bytes()))
}

/// Decodes Shift_JIS to the text that the tax agency's Unicode edition has.
pub fn decoded(bytes: &[u8]) -> String {
    encoding_rs::SHIFT_JIS.decode(bytes).0.into_owned()
}

/// `20260821` as 令和8年8月21日.
pub fn japanese(date: u32) -> String {
    format!("令和{}年{}月{}日", date / 10_000 - 2018, date / 100 % 100, date % 100)
}
