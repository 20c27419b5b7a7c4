//! The folding levels, and the folding table, built at first use from the two data files beside it. Two look-ups give
//! a character's form at a level: `pages[character / 256]`, then `forms[page · 256 + character % 256]`.
//!
//! A form is 16 bits: zero for a character that stays, a character of the basic plane, or, in the surrogate range, an
//! index into the list of longer forms. Characters beyond the third plane stay, except variation selectors.
//!
//! Voiced marks are composed, small and old kana become the common ones. Katakana and hiragana stay apart, except the
//! few that addresses mix.

use std::collections::{BTreeMap, HashSet};
use std::sync::LazyLock;

pub(super) enum Form {
    /// One character, possibly itself.
    One(char),
    /// Several characters, or one beyond the basic plane.
    Several(&'static [char]),
    Dropped,
}

pub(super) struct Table {
    pages: [u16; PAGES],
    forms: Vec<u16>,
    /// The longer forms.
    several: Vec<Vec<char>>,
    /// The characters that others become, alone or with more.
    results: HashSet<char>,
}

/// Characters per page.
const PAGE: usize = 256;
/// Pages in the three planes that contain characters which fold.
const PAGES: usize = 0x3_0000 / PAGE;
/// Forms from this number on are indexes into the list of longer forms.
const FIRST_SEVERAL: u16 = 0xd800;
const DROPPED: u16 = 0xdfff;

static TABLES: LazyLock<[Table; 4]> = LazyLock::new(|| {
    let sources = Sources::read();
    Level::ALL.map(|level| sources.table(level))
});

impl Table {
    pub(super) fn for_level(level: Level) -> &'static Table {
        &TABLES[level as usize]
    }

    #[inline]
    pub(super) fn form(&'static self, character: char) -> Form {
        let number = character as usize;
        let Some(&page) = self.pages.get(number / PAGE) else {
            return if is_selector(character) { Form::Dropped } else { Form::One(character) };
        };
        match self.forms[usize::from(page) * PAGE + number % PAGE] {
            0 => Form::One(character),
            DROPPED => Form::Dropped,
            form => match char::from_u32(u32::from(form)) {
                Some(folded) => Form::One(folded),
                None => Form::Several(&self.several[usize::from(form - FIRST_SEVERAL)]),
            },
        }
    }

    /// The form of a character if it is one character; else the character itself.
    pub(super) fn single(&'static self, character: char) -> char {
        match self.form(character) {
            Form::One(folded) | Form::Several(&[folded]) => folded,
            Form::Several(_) | Form::Dropped => character,
        }
    }

    pub(super) fn has_variants(&self, character: char) -> bool {
        self.results.contains(&character)
    }

    fn empty() -> Table {
        // The first page is for characters that stay.
        Table {
            pages: [0; PAGES],
            forms: vec![0; PAGE],
            several: Vec::new(),
            results: HashSet::new(),
        }
    }

    fn insert(&mut self, character: char, folded: &[char]) {
        self.results.extend(folded.iter().filter(|folded| **folded != character));
        let form = match *folded {
            [] => DROPPED,
            [one] if one == character => return,
            [one] if (one as usize) < 0x1_0000 => one as u16,
            _ => {
                self.several.push(folded.to_vec());
                FIRST_SEVERAL + (self.several.len() - 1) as u16
            }
        };
        let number = character as usize;
        let page = &mut self.pages[number / PAGE];
        if *page == 0 {
            *page = (self.forms.len() / PAGE) as u16;
            self.forms.resize(self.forms.len() + PAGE, 0);
        }
        self.forms[usize::from(*page) * PAGE + number % PAGE] = form;
    }
}

fn is_selector(character: char) -> bool {
    matches!(character, '\u{e0100}'..='\u{e01ef}')
}

/// Variation selectors, joiners, direction marks, a byte order mark inside a text.
fn is_invisible(character: char) -> bool {
    matches!(character, '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}')
        || matches!(character, '\u{2060}'..='\u{2064}' | '\u{2066}'..='\u{2069}')
        || matches!(character, '\u{fe00}'..='\u{fe0f}' | '\u{feff}')
}

/// The contents of the data files and lists, each for one level.
struct Sources {
    width: BTreeMap<char, Vec<char>>,
    kanji: BTreeMap<char, char>,
    search: BTreeMap<char, char>,
    address: BTreeMap<char, char>,
}

impl Sources {
    fn read() -> Sources {
        let mut width = read_forms(include_str!("forms.tsv"));
        width.extend(('\0'..='\u{ffff}').filter(|&c| is_invisible(c)).map(|c| (c, Vec::new())));
        let mut search = pairs(SEARCH);
        search.extend(('\0'..'\u{530}').filter_map(|c| Some((c, lower_case(c)?))));
        let kanji = read_variants(include_str!("variants.tsv"));
        let address = pairs(CONFUSED_IN_ADDRESSES);
        Sources { width, kanji, search, address }
    }

    fn table(&self, level: Level) -> Table {
        let mut table = Table::empty();
        let lists = [&self.kanji, &self.address, &self.search];
        let single = lists.iter().flat_map(|list| list.keys());
        for &character in self.width.keys().chain(single) {
            let itself = [character];
            let plain = self.width.get(&character).map_or(&itself[..], Vec::as_slice);
            let folded: Vec<char> =
                plain.iter().map(|&plain| self.fold_plain(plain, level)).collect();
            table.insert(character, &folded);
        }
        table
    }

    /// Folds a plain character up to a level.
    fn fold_plain(&self, mut character: char, level: Level) -> char {
        // Address comes before Search, which folds ヵ to カ.
        for (list, first_level) in [
            (&self.kanji, Level::Kanji),
            (&self.address, Level::Address),
            (&self.search, Level::Search),
        ] {
            if level >= first_level {
                character = list.get(&character).copied().unwrap_or(character);
            }
        }
        character
    }
}

/// The lower-case letter, if it is another and only one.
fn lower_case(character: char) -> Option<char> {
    let mut lower = character.to_lowercase();
    let first = lower.next()?;
    (first != character && lower.next().is_none()).then_some(first)
}

/// Pairs of a letter at the level Kanji and its form at the level Address: they differ, but people write one for the
/// other in place names. Merging them is safe in addresses, since a town is searched among the towns of one
/// municipality and no two of these differ only in such letters (except 日の出 and 日之出 in 清須市; a test of the official file
/// checks this). Elsewhere they distinguish names.
///
/// `か` and `カ` stay: ヶ is read か, but nobody writes it so, and both are letters of many names. 己 已 巳, 埼 崎, 惣 総, 芦
/// 葦, 堺 界, 阪 坂, 兎 菟, 廻 回 and 裏 里 stay too: they are different words.
const CONFUSED_IN_ADDRESSES: &str = "\
    ヶケがケガケヵケゖケゕケのノ之ノ乃ノっツッツつツ\
    祗祇斉斎釜竃薗園栢柏栖棲籐藤碕崎洲州荘庄苅刈盃杯";

/// Parses a list of pairs: the first character folds to the second.
fn pairs(list: &str) -> BTreeMap<char, char> {
    let characters: Vec<char> = list.chars().collect();
    characters.chunks_exact(2).map(|pair| (pair[0], pair[1])).collect()
}

/// The data lines of a file, without comments, split at the tab.
fn lines(data: &'static str) -> impl Iterator<Item = (&'static str, &'static str)> {
    data.lines().filter(|line| !line.starts_with('#')).filter_map(|line| line.split_once('\t'))
}

/// `forms.tsv`: the number of a character, and the forms of it and of those that follow it.
fn read_forms(data: &'static str) -> BTreeMap<char, Vec<char>> {
    let mut forms = BTreeMap::new();
    for (first, run) in lines(data) {
        let first = u32::from_str_radix(first, 16).expect("checked by the test of the data file");
        for (character, form) in (first..).zip(run.split(' ')).filter(|(_, form)| *form != "·") {
            let character =
                char::from_u32(character).expect("checked by the test of the data file");
            forms.insert(character, form.replace('␠', " ").chars().collect());
        }
    }
    forms
}

/// `variants.tsv`: a kanji, and the variants that fold to it.
fn read_variants(data: &'static str) -> BTreeMap<char, char> {
    let mut variants = BTreeMap::new();
    for (one, others) in lines(data) {
        let one = one.chars().next().expect("checked by the test of the data file");
        variants.extend(others.chars().map(|other| (other, one)));
    }
    variants
}

/// Folding level. Each also folds what the one before folds, but `Address` makes ヵ and ゕ ケ where `Search` makes them
/// カ and か.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// One width and one encoding of the same letter; the only folding of `en_name`. Full-width ASCII becomes
    /// half-width, half-width kana becomes full-width, compatibility characters (`①`, `㈱`, `㎡`) become the text
    /// they stand for; variation selectors and invisible characters are dropped.
    Width,
    /// Variants of one kanji become one. Used by the exact modes of the corporate search.
    Kanji,
    /// Small kana become large, ゐゑヰヱ become いえイエ, letters become lower-case. Used by partial searches.
    Search,
    /// Letters that are confused in addresses only: ヶケがガヵ are ケ, のノ之乃 ノ, ッツっつ ツ, and a dozen kanji such as 祗 for 祇
    /// (listed in `table.rs`).
    Address,
}

impl Level {
    /// From the least to the most.
    pub const ALL: [Level; 4] = [Level::Width, Level::Kanji, Level::Search, Level::Address];
}

/// The voiced mark as a separate character; every other form of it folds to this one.
const VOICED: char = '゛';
const SEMIVOICED: char = '゜';

/// Whether a character at the level Width is a voiced or semi-voiced mark.
pub(super) fn is_voiced_mark(character: char) -> bool {
    matches!(character, VOICED | SEMIVOICED)
}

/// Composes カ and ゛ to ガ; `None` if the pair has no composition.
pub fn compose(kana: char, mark: char) -> Option<char> {
    let distance = match (mark, kana) {
        (VOICED, 'ウ') => return Some('ヴ'),
        (VOICED, 'う') => return Some('ゔ'),
        (VOICED, 'ワ' | 'ヰ' | 'ヱ' | 'ヲ') => 8,
        (VOICED, 'ゝ' | 'ヽ') => 1,
        (VOICED, _) if is_in_ka_sa_ta_rows(kana) => 1,
        (VOICED, _) if is_in_ha_row(kana) => 1,
        (SEMIVOICED, _) if is_in_ha_row(kana) => 2,
        _ => return None,
    };
    char::from_u32(u32::from(kana) + distance)
}

/// Plain kana of the rows か さ た. In the Unicode block each voiced kana follows its plain one.
fn is_in_ka_sa_ta_rows(kana: char) -> bool {
    "かきくけこさしすせそたちつてとカキクケコサシスセソタチツテト".contains(kana)
}

/// Plain kana of the row は, the only row that also has semi-voiced forms.
fn is_in_ha_row(kana: char) -> bool {
    matches!(kana, 'は' | 'ひ' | 'ふ' | 'へ' | 'ほ' | 'ハ' | 'ヒ' | 'フ' | 'ヘ' | 'ホ')
}

/// Pairs at the level Search: small to large, old to new, with the small letters of Ainu.
pub(super) const SEARCH: &str = "\
    ぁあぃいぅうぇえぉおっつゃやゅゆょよゎわゕかゖけゐいゑえ\
    ァアィイゥウェエォオッツャヤュユョヨヮワヵカヶケヰイヱエ\
    ㇰクㇱシㇲスㇳトㇴヌㇵハㇶヒㇷフㇸヘㇹホㇺムㇻラㇼリㇽルㇾレㇿロ";
