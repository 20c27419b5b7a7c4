//! How far the generated Roman names agree with those that Japan Post prints in KEN_ALL_ROME.
//!
//! Ignores case, spaces and punctuation, in which the two differ by design (`Kita-ku, Osaka`,
//! `OSAKA SHI KITA KU`); only the hyphens in names of towns are compared. Names that the printed file
//! cuts (at 35 Roman letters or 17 characters of kanji) are compared up to the cut. Text in
//! parentheses is not compared.
//!
//! Does not check the readings: both files have the same ones. Agreement means that the letters follow
//! from the reading, not that the reading is right.

use std::fmt;

/// A printed name of this many letters or more may be cut: KEN_ALL_ROME cuts at 35, and the last of them
/// may be a space.
const PRINTED_LETTERS_MAX: usize = 34;

/// KEN_ALL_ROME cuts names in kanji at this many characters.
const PRINTED_KANJI_MAX: usize = 17;

/// Number of examples kept per class of difference.
const EXAMPLES_MAX: usize = 3;

/// A town of the records, with its generated Roman name. An empty town is skipped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct GeneratedTown<'a> {
    /// Postal code, `0..=9_999_999`.
    pub postal_code: u32,
    /// Town, without koaza and building.
    pub town: &'a str,
    /// Town, katakana.
    pub town_kana: &'a str,
    /// Town as returned by [`daicho::text::romaji::romanize_town`].
    pub town_roman: &'a str,
}

/// A line of KEN_ALL_ROME.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PrintedTown<'a> {
    /// Postal code, `0..=9_999_999`.
    pub postal_code: u32,
    /// Town column in kanji, with its full-width spaces and parentheses.
    pub town: &'a str,
    /// Town column in capitals.
    pub town_roman: &'a str,
}

/// The reason why two names differ.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Difference {
    /// A sound that the plain Hepburn table lacks: `ti` here, `TEI` printed.
    LoanSound,
    /// ン before b, m, p where only one of the two has a word division.
    Nasal,
    /// A long vowel folded across a place where only one of the two has a word division.
    LongVowel,
    /// None of these.
    Other,
}

impl Difference {
    /// All classes, in the order in which a report lists them.
    pub const ALL: [Difference; 4] =
        [Difference::LoanSound, Difference::Nasal, Difference::LongVowel, Difference::Other];

    /// A description of the class.
    pub fn describe(self) -> &'static str {
        match self {
            Difference::LoanSound => "loan sounds, which the source spells kana by kana",
            Difference::Nasal => "ン before b, m, p at a word's end",
            Difference::LongVowel => "long vowels at a word's end",
            Difference::Other => "other",
        }
    }
}

/// One pair of names that differ.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Example {
    /// The town in kanji; empty if not known.
    pub name: String,
    /// The generated name.
    pub generated: String,
    /// The printed name.
    pub printed: String,
}

/// The differences of one class.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DifferenceClass {
    /// The class.
    pub difference: Difference,
    pub count: u64,
    /// The first distinct examples, at most three.
    pub examples: Vec<Example>,
}

/// The result of a comparison; displays as a short report.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Agreement {
    /// Printed names that were compared.
    pub compared: u64,
    /// Compared names that agree.
    pub agreeing: u64,
    /// Printed names without a generated counterpart: lines that continue a split record, phrases
    /// that are no town, towns of another month.
    pub unpaired: u64,
    /// The differences, in the order of [`Difference::ALL`]; a class without any has count 0.
    pub differences: Vec<DifferenceClass>,
}

impl Agreement {
    fn none() -> Agreement {
        let class = |difference| DifferenceClass { difference, count: 0, examples: Vec::new() };
        let differences = Difference::ALL.map(class).into();
        Agreement { compared: 0, agreeing: 0, unpaired: 0, differences }
    }

    /// The percentage of compared names that agree; 100 if none was compared.
    pub fn percent(&self) -> f64 {
        if self.compared == 0 {
            return 100.0;
        }
        self.agreeing as f64 * 100.0 / self.compared as f64
    }

    /// Counts one compared name: `difference` is `None` where it agrees.
    fn count(&mut self, difference: Option<Difference>, example: impl Fn() -> Example) {
        self.compared += 1;
        let Some(difference) = difference else {
            self.agreeing += 1;
            return;
        };
        for class in self.differences.iter_mut().filter(|class| class.difference == difference) {
            class.count += 1;
            if class.examples.len() < EXAMPLES_MAX {
                let example = example();
                if !class.examples.contains(&example) {
                    class.examples.push(example);
                }
            }
        }
    }
}

impl fmt::Display for Agreement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (agreeing, compared) = (self.agreeing, self.compared);
        write!(f, "{:.2}% ({agreeing} of {compared} names", self.percent())?;
        write!(f, "; {} printed lines not compared)", self.unpaired)?;
        for class in self.differences.iter().filter(|class| class.count > 0) {
            write!(f, "\n  {}: {}", class.difference.describe(), class.count)?;
            for Example { name, generated, printed } in &class.examples {
                write!(f, "\n    {name}: {generated}, printed {printed}")?;
            }
        }
        Ok(())
    }
}

/// Compares the towns of the records with the lines of KEN_ALL_ROME, paired by postal code and
/// kanji. The two need not be of the same month: a line without a counterpart is counted as unpaired.
pub fn town_agreement<'a>(
    generated: impl IntoIterator<Item = GeneratedTown<'a>>,
    printed: impl IntoIterator<Item = PrintedTown<'a>>,
) -> Agreement {
    let mut towns: Vec<_> = generated.into_iter().filter(|town| !town.town.is_empty()).collect();
    towns.sort_unstable();
    towns.dedup();
    let mut agreement = Agreement::none();
    for line in printed {
        let start = towns.partition_point(|town| town.postal_code < line.postal_code);
        let end = start + towns[start..].partition_point(|t| t.postal_code == line.postal_code);
        compare_line(&mut agreement, &towns[start..end], &line);
    }
    agreement
}

/// Compares one printed line with the towns of its postal code.
fn compare_line(agreement: &mut Agreement, towns: &[GeneratedTown<'_>], line: &PrintedTown<'_>) {
    let pairs = || towns.iter().filter_map(|town| Some((town, printed_part(town.town, line)?)));
    let agrees = |town: &GeneratedTown<'_>, printed| letters_agree(town.town_roman, printed);
    // One code may have one name with two readings (明石市和坂), so any counterpart is accepted.
    let found = pairs().find(|(town, printed)| agrees(town, printed)).or_else(|| pairs().next());
    let Some((town, printed)) = found else {
        agreement.unpaired += 1;
        return;
    };
    let difference = (!agrees(town, printed)).then(|| classify(town, printed));
    agreement.count(difference, || Example {
        name: town.town.to_owned(),
        generated: town.town_roman.to_owned(),
        printed: printed.to_owned(),
    });
}

/// The part of a line's Roman column that names `town`; `None` if the line is about another town.
fn printed_part<'a>(town: &str, line: &PrintedTown<'a>) -> Option<&'a str> {
    let (kanji, cut) = match line.town.split_once('（') {
        Some((kanji, _)) => (kanji, false),
        None => (line.town, line.town.chars().count() >= PRINTED_KANJI_MAX),
    };
    let roman = line.town_roman.split('(').next()?;
    let mut rest = town.chars();
    let begins = kanji.chars().filter(|c| *c != '　').all(|c| rest.next() == Some(c));
    if begins && (cut || rest.as_str().is_empty()) {
        return Some(roman);
    }
    // In both columns a building follows the town after a space.
    let (first, _) = kanji.split_once('　')?;
    if first == town { roman.split(' ').next() } else { None }
}

/// Letters and digits in lower case, with the hyphens, which both files write in the same places.
fn letters(name: &str) -> impl Iterator<Item = u8> + Clone {
    let kept = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'-';
    name.bytes().filter(kept).map(|byte| byte.to_ascii_lowercase())
}

/// Whether the printed name equals the generated one, up to where the file may have cut it.
fn letters_agree(generated: &str, printed: &str) -> bool {
    let mut generated = letters(generated);
    let begins = letters(printed).all(|letter| generated.next() == Some(letter));
    begins && (printed.len() >= PRINTED_LETTERS_MAX || generated.next().is_none())
}

/// The reason why a town's names differ.
fn classify(town: &GeneratedTown<'_>, printed: &str) -> Difference {
    if town.town_kana.contains(['ァ', 'ィ', 'ゥ', 'ェ', 'ォ', 'ヴ']) {
        return Difference::LoanSound;
    }
    let generated: String = letters(town.town_roman).map(char::from).collect();
    let printed: String = letters(printed).map(char::from).collect();
    let nasal = |name: &str| name.replace("mb", "nb").replace("mm", "nm").replace("mp", "np");
    if nasal(&generated) == nasal(&printed) {
        return Difference::Nasal;
    }
    let short = |name: &str| name.replace("ou", "o").replace("oo", "o").replace("uu", "u");
    if short(&generated) == short(&printed) { Difference::LongVowel } else { Difference::Other }
}

/// Compares romanised municipalities (`Kita-ku, Osaka`) with the municipality column of
/// KEN_ALL_ROME (`OSAKA SHI KITA KU`), in pairs of generated and printed name.
pub fn city_agreement<'a>(pairs: impl IntoIterator<Item = (&'a str, &'a str)>) -> Agreement {
    compare_pairs(pairs, city_agrees)
}

/// Compares romanised prefectures (`Tokyo`) with the prefecture column of KEN_ALL_ROME (`TOKYO
/// TO`), in pairs of generated and printed name.
pub fn prefecture_agreement<'a>(pairs: impl IntoIterator<Item = (&'a str, &'a str)>) -> Agreement {
    compare_pairs(pairs, |generated, printed| {
        let name = printed.split(' ').next().unwrap_or(printed);
        letters_agree(generated, name)
    })
}

fn compare_pairs<'a>(
    pairs: impl IntoIterator<Item = (&'a str, &'a str)>,
    agrees: fn(&str, &str) -> bool,
) -> Agreement {
    let mut agreement = Agreement::none();
    for (generated, printed) in pairs {
        let difference = (!agrees(generated, printed)).then_some(Difference::Other);
        agreement.count(difference, || Example {
            name: String::new(),
            generated: generated.to_owned(),
            printed: printed.to_owned(),
        });
    }
    agreement
}

/// Whether the printed municipality, which has the larger unit first and all suffixes, is the generated
/// one.
fn city_agrees(generated: &str, printed: &str) -> bool {
    let cut = printed.len() >= PRINTED_LETTERS_MAX;
    let mut words = printed.split(' ').peekable();
    for part in generated.rsplit(", ") {
        let (name, suffixes): (&str, &[&str]) = match part.strip_suffix("-ku") {
            Some(name) => (name, &["KU"]),
            None => (part, &["SHI", "GUN", "MACHI", "CHO", "MURA", "SON"]),
        };
        let Some(word) = words.next() else { return cut };
        let last = words.peek().is_none();
        if !(name.eq_ignore_ascii_case(word) || cut && last && begins(name, word)) {
            return false;
        }
        let suffix_is_cut = |word: &str| cut && suffixes.iter().any(|s| s.starts_with(word));
        let suffixed = words.next_if(|word| suffixes.contains(word) || suffix_is_cut(word));
        let island = name.ends_with("jima");
        if suffixed.is_none() && !island && words.peek().is_some() {
            return false;
        }
    }
    words.next().is_none()
}

/// Whether `name` begins with `start`, ignoring case.
fn begins(name: &str, start: &str) -> bool {
    name.get(..start.len()).is_some_and(|begin| begin.eq_ignore_ascii_case(start))
}
