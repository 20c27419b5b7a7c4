//! zengin-code: `banks.json` and `branches/CODE.json` of its data repository, which its packages for Ruby, Python, PHP and Go
//! read, `updated_at` with the day of the data, and `zengin-data.js` of its npm package.
//!
//! Long vowels are written － and spaces are wide, as in the package. Its files know one branch a code. Where several branches share one, the first is written.

use super::folder::PackageFolder;
use super::layout::{Layout, Write, WriteError};
use crate::dataset::bank::BankData;
use crate::dataset::bank::record::{BankView, EntryView};
use crate::json::{push_string, put};

pub const LAYOUT: Layout = Layout { name: "zengin-code", write: Write::Bank(write) };

fn write(data: &BankData, folder: &PackageFolder) -> Result<u64, WriteError> {
    folder.create_folder("branches")?;
    let mut entries = 0;
    let (mut banks, mut package) = (Map::open("", ":"), Map::open("", ": "));
    package.out.splice(0..0, *b"module.exports = ");
    for bank in data.banks()? {
        let code = format!("{:04}", bank.entry().code());
        banks.entry(&code, |map| map.members(&code, bank.entry()));
        let mut branches = Map::open("", ":");
        package.entry(&code, |map| {
            map.members(&code, bank.entry());
            map.put_key("branches");
            let mut inner = Map::open(&map.inside(), ": ");
            for branch in listed_branches(&bank) {
                let code = format!("{:03}", branch.code());
                branches.entry(&code, |map| map.members(&code, branch));
                inner.entry(&code, |map| map.members(&code, branch));
                entries += 1;
            }
            map.out.extend_from_slice(&inner.close());
        });
        folder.write(&format!("branches/{code}.json"), [&branches.close()[..], b"\n"].concat())?;
        entries += 1;
    }
    folder.write("banks.json", [&banks.close()[..], b"\n"].concat())?;
    folder.write("zengin-data.js", [&package.close()[..], b";\n"].concat())?;
    folder.write("updated_at", data.version().to_string().replace('-', ""))?;
    Ok(entries)
}

/// The first branch of each code.
fn listed_branches<'s>(bank: &BankView<'s>) -> impl Iterator<Item = EntryView<'s>> + use<'s> {
    let mut last = None;
    bank.branches().filter(move |branch| last.replace(branch.code()) != Some(branch.code()))
}

/// A JSON object that is indented by two spaces a level.
struct Map {
    out: Vec<u8>,
    /// The indent of the object itself.
    indent: String,
    /// What stands between a key and its value.
    colon: &'static str,
    is_empty: bool,
}

impl Map {
    fn open(indent: &str, colon: &'static str) -> Map {
        Map { out: b"{".to_vec(), indent: indent.to_owned(), colon, is_empty: true }
    }

    fn inside(&self) -> String {
        format!("{}  ", self.indent)
    }

    fn put_key(&mut self, key: &str) {
        let comma = if std::mem::take(&mut self.is_empty) { "" } else { "," };
        put(&mut self.out, &[comma, "\n", &self.indent, "  \"", key, "\"", self.colon]);
    }

    /// Adds a member that is an object, with what `fill` adds to it.
    fn entry(&mut self, key: &str, fill: impl FnOnce(&mut Map)) {
        self.put_key(key);
        let mut inner = Map::open(&self.inside(), self.colon);
        fill(&mut inner);
        self.out.extend_from_slice(&inner.close());
    }

    fn members(&mut self, code: &str, entry: EntryView<'_>) {
        let [kana, hira] =
            [entry.katakana(), entry.hiragana()].map(|it| it.text.replace('ー', "－"));
        let roma = entry.romaji().text.replace(' ', "\u{3000}");
        let members = [
            ("code", code),
            ("name", entry.name().text),
            ("kana", &kana),
            ("hira", &hira),
            ("roma", &roma),
        ];
        for (key, value) in members {
            self.put_key(key);
            push_string(&mut self.out, value);
        }
    }

    fn close(mut self) -> Vec<u8> {
        if !self.is_empty {
            put(&mut self.out, &["\n", &self.indent]);
        }
        self.out.push(b'}');
        self.out
    }
}
