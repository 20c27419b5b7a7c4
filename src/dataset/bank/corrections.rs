//! What operators can correct of the bank directory: institutions (`bank.csv`) and branches (`branch.csv`). The corrected
//! directory is compiled as a build compiles it; a directory has 30,000 rows.

use std::collections::BTreeMap;
use std::sync::Arc;

use build_tools::bank::{BankRow, BranchRow, Names, spelling};

use super::BankData;
use super::compile::compile;
use super::record::{BankProvenance, EntryView};
use crate::compile::Result;
use crate::dataset::correction::declared::{Action, CorrectedFile, Field, Need};
use crate::dataset::correction::row::{Correction, Edited, Standing, standings};
use crate::dataset::correction::values::digits;
use crate::language::words;
use crate::record::owned;
use crate::snapshot::Dataset;
use crate::text::codes::DataVersion;
use crate::text::kana;

const ACTIONS: &[Action] = &[Action::Add, Action::Change, Action::Abolish];
const SETTING: &[Action] = &[Action::Add, Action::Change];

/// The members of institutions and branches.
const NAMES: &[Field] = &[
    Field {
        name: "name",
        meaning: words(
            "its name as the data write it, without 銀行 or 支店",
            "データの表記による名称（「銀行」「支店」を除く）",
        ),
        parse: spelling::name,
        need: Need::ToAdd,
        set_by: SETTING,
        example: "鳥取新",
    },
    Field {
        name: "katakana",
        meaning: words("its reading in katakana", "読み（カタカナ）"),
        parse: spelling::katakana,
        need: Need::ToAddAndWith("name"),
        set_by: SETTING,
        example: "トツトリシン",
    },
    Field {
        name: "hiragana",
        meaning: words(
            "its reading in hiragana; made of the katakana if absent",
            "読み（ひらがな）。省略するとカタカナから作る",
        ),
        parse: hiragana,
        need: Need::Never,
        set_by: SETTING,
        example: "",
    },
    Field {
        name: "romaji",
        meaning: words(
            "its reading in Roman letters; made of the katakana if absent",
            "読み（ローマ字）。省略するとカタカナから作る",
        ),
        parse: romaji,
        need: Need::Never,
        set_by: SETTING,
        example: "",
    },
];

pub static BANKS: CorrectedFile = CorrectedFile {
    name: "bank",
    record: words("institution", "金融機関"),
    actions: ACTIONS,
    key: &[Field {
        name: "code",
        meaning: words("the code of the institution, four digits", "金融機関コード（4桁）"),
        parse: digits::<4>,
        need: Need::Always,
        set_by: ACTIONS,
        example: "0166",
    }],
    members: NAMES,
};

pub static BRANCHES: CorrectedFile = CorrectedFile {
    name: "branch",
    record: words("branch", "支店"),
    actions: ACTIONS,
    key: &[
        Field {
            name: "bank_code",
            meaning: words("the code of the institution, four digits", "金融機関コード（4桁）"),
            parse: digits::<4>,
            need: Need::Always,
            set_by: ACTIONS,
            example: "0166",
        },
        Field {
            name: "code",
            meaning: words("the code of the branch, three digits", "支店コード（3桁）"),
            parse: digits::<3>,
            need: Need::Always,
            set_by: ACTIONS,
            example: "101",
        },
        Field {
            name: "current_name",
            meaning: words(
                "the name that the data have, where several branches share the code",
                "同じコードの支店が複数あるときの、データでの名称",
            ),
            parse: spelling::name,
            need: Need::Never,
            set_by: &[Action::Change, Action::Abolish],
            example: "",
        },
    ],
    members: NAMES,
};

fn hiragana(text: &str) -> Result<String, &'static str> {
    spelling::hiragana(Some(text)).map(Option::unwrap_or_default)
}

fn romaji(text: &str) -> Result<String, &'static str> {
    spelling::romaji(Some(text)).map(Option::unwrap_or_default)
}

/// The directory while rows edit it.
struct Directory {
    banks: BTreeMap<u16, Names>,
    /// By institution and code; those that share a code in the source's order.
    branches: BTreeMap<(u16, u16), Vec<Names>>,
    version: DataVersion,
}

/// The data as the rows of a day make them.
pub fn edited(data: &BankData, rows: &[Arc<Correction>]) -> Result<Edited<'static, BankData>> {
    let mut directory = Directory::of(data)?;
    let standings = standings(rows, |row| {
        Ok(match *row.file == BANKS {
            true => directory.edit_bank(row),
            false => directory.edit_branch(row),
        })
    })?;
    let (path, is_sample) = (data.file().path().to_owned(), data.file().is_sample());
    let provenance: BankProvenance = owned(data.provenance()?.root());
    let compile = move || {
        let version = directory.version;
        let (banks, branches) = directory.into_rows();
        let snapshot = compile(version, &provenance, &banks, &branches)?;
        Ok(BankData::from_file(snapshot.of_sample(is_sample).into_memory(&path)?))
    };
    Ok(Edited { standings, compile: Some(Box::new(compile)) })
}

impl Directory {
    fn of(data: &BankData) -> Result<Directory> {
        let mut directory = Directory {
            banks: BTreeMap::new(),
            branches: BTreeMap::new(),
            version: data.version(),
        };
        for bank in data.banks()? {
            let code = bank.entry().code();
            directory.banks.insert(code, names(bank.entry()));
            for branch in bank.branches() {
                let of_code = directory.branches.entry((code, branch.code())).or_default();
                of_code.push(names(branch));
            }
        }
        Ok(directory)
    }

    fn into_rows(self) -> (Vec<BankRow>, Vec<BranchRow>) {
        let bank = |(code, names)| BankRow { line: 0, code, names };
        let branches = self.branches.into_iter().flat_map(|((bank, code), of_code)| {
            of_code.into_iter().map(move |names| BranchRow { line: 0, bank, code, names })
        });
        (self.banks.into_iter().map(bank).collect(), branches.collect())
    }

    fn edit_bank(&mut self, row: &Correction) -> Standing {
        let code = number(&row.key[0]);
        let found = self.banks.get_mut(&code);
        match (row.action, found) {
            (Action::Add, Some(found)) => exists(found, row, BANKS.key[0].name),
            (Action::Add, None) => {
                self.banks.insert(code, new_names(row));
                Standing::Needed
            }
            (Action::Abolish, Some(_)) => {
                self.banks.remove(&code);
                self.branches.retain(|(bank, _), _| *bank != code);
                Standing::Needed
            }
            (Action::Abolish, None) => self.gone(row, BANKS.key[0].name),
            (_, Some(found)) => set(found, row),
            (_, None) => self.unknown(row, BANKS.key[0].name),
        }
    }

    fn edit_branch(&mut self, row: &Correction) -> Standing {
        let [bank, code] = [&row.key[0], &row.key[1]].map(|code| number(code));
        let (bank_column, column) = (BRANCHES.key[0].name, BRANCHES.key[1].name);
        if !self.banks.contains_key(&bank) {
            let expected = format!("an institution of the data of {}", self.version);
            return Standing::Wrong { column: bank_column, expected, found: row.key[0].clone() };
        }
        let of_code = self.branches.entry((bank, code)).or_default();
        let current_name = &row.key[2];
        let position = match (&of_code[..], &current_name[..]) {
            ([], _) => None,
            ([_], "") => Some(0),
            ([..], "") if row.action == Action::Add => Some(0),
            (all, "") => {
                let names: Vec<&str> = all.iter().map(|names| names.name.as_str()).collect();
                let expected = format!("one of {}, which share the code", names.join(", "));
                let found = "nothing".to_owned();
                return Standing::Wrong { column: BRANCHES.key[2].name, expected, found };
            }
            (all, name) => all.iter().position(|names| names.name == name),
        };
        match (row.action, position) {
            (Action::Add, Some(first)) => {
                let same = of_code.iter().find(|names| has_values(names, row));
                exists(same.unwrap_or(&of_code[first]), row, column)
            }
            (Action::Add, None) => {
                of_code.push(new_names(row));
                Standing::Needed
            }
            (Action::Abolish, Some(position)) => {
                of_code.remove(position);
                Standing::Needed
            }
            (Action::Abolish, None) => self.gone(row, column),
            (_, Some(position)) => set(&mut of_code[position], row),
            // By the name that the row itself gives: the data may have caught up.
            (_, None) => match of_code.iter_mut().find(|names| has_values(names, row)) {
                Some(same) => set(same, row),
                None => self.unknown(row, column),
            },
        }
    }

    /// A row abolishes what the data do not have: they have caught up if they are of a day on which it applies.
    fn gone(&self, row: &Correction, column: &'static str) -> Standing {
        match row.period.from.is_none_or(|from| from <= self.version) {
            true => Standing::CaughtUp {
                found: format!("the data of {} do not have {} either", self.version, row.record()),
            },
            false => self.unknown(row, column),
        }
    }

    fn unknown(&self, row: &Correction, column: &'static str) -> Standing {
        let record = row.file.record.en;
        Standing::Wrong {
            column,
            expected: format!("a code of the data of {}", self.version),
            found: format!("{}, which no {record} has", row.record()),
        }
    }
}

fn names(entry: EntryView<'_>) -> Names {
    Names {
        name: entry.name().text.to_owned(),
        katakana: entry.katakana().text.to_owned(),
        hiragana: Some(entry.hiragana().text.to_owned()),
        romaji: Some(entry.romaji().text.to_owned()),
    }
}

/// The code of the institution that a row is about; `None` for a row about a branch.
pub fn bank_of(row: &Correction) -> Option<u16> {
    (*row.file == BANKS).then(|| number(&row.key[0]))
}

/// The codes of institution and branch of a row about a branch.
pub fn branch_of(row: &Correction) -> Option<(u16, u16)> {
    (*row.file == BRANCHES).then(|| (number(&row.key[0]), number(&row.key[1])))
}

fn number(code: &str) -> u16 {
    code.parse().expect("the column accepts digits only")
}

/// The names of a row that adds a record.
fn new_names(row: &Correction) -> Names {
    let mut names = Names::default();
    set(&mut names, row);
    names
}

/// The values of a row as the data have them: the readings that it leaves out follow from the katakana.
fn values(row: &Correction) -> [Option<String>; 4] {
    let value = |name: &str| row.value(name).map(str::to_owned);
    let katakana = row.value("katakana").map(kana::with_long_vowels);
    let derived = |derive: fn(&str) -> String| katakana.as_deref().map(derive);
    let hiragana = row.value("hiragana").map(kana::with_long_vowels);
    let hiragana = hiragana.or_else(|| derived(kana::bank_hiragana));
    let romaji = value("romaji").or_else(|| derived(kana::bank_romaji));
    [value("name"), katakana.clone(), hiragana, romaji]
}

fn set(names: &mut Names, row: &Correction) -> Standing {
    if has_values(names, row) {
        return Standing::CaughtUp { found: format!("the data have {} by now", names.name) };
    }
    let [name, katakana, hiragana, romaji] = values(row);
    names.name = name.unwrap_or(std::mem::take(&mut names.name));
    names.katakana = katakana.unwrap_or(std::mem::take(&mut names.katakana));
    names.hiragana = hiragana.or(names.hiragana.take());
    names.romaji = romaji.or(names.romaji.take());
    Standing::Needed
}

fn has_values(names: &Names, row: &Correction) -> bool {
    let current =
        [Some(&names.name), Some(&names.katakana), names.hiragana.as_ref(), names.romaji.as_ref()];
    let mut values = values(row).into_iter().zip(current);
    values.all(|(value, current)| value.is_none() || value.as_ref() == current)
}

/// A row adds what the data have already.
fn exists(found: &Names, row: &Correction, column: &'static str) -> Standing {
    if has_values(found, row) {
        return Standing::CaughtUp { found: format!("the data have {} by now", found.name) };
    }
    Standing::Wrong {
        column,
        expected: "a code that the data do not have yet; correct the record with change".to_owned(),
        found: format!("{}, which is {}", row.record(), found.name),
    }
}
