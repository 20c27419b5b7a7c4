//! A model of the corporate search: it looks at every corporation, without an index, and the index must
//! give the same answers. Also the test's corporations, and their rows in the tax agency's format.

use std::cmp::Reverse;
use std::fmt::Write as _;

use daicho::dataset::corporate::search::SearchMode;
use daicho::dataset::corporate::syntax::{CorporateField, CorporateFilter, CorporateQuery};
use daicho::index::attributes::Attribute;
use daicho::index::standing::Standing;
use daicho::query::syntax::{CodeFacet, CodePath, FacetPath, Term, TermKind};
use daicho::text::codes::CorporateNumber;
use daicho::text::fold::{Level, folded};
use daicho::text::kind_words::{
    Form, Side, equals_without_kind_words, expand, folded_word, is_kind_word, split,
};

/// A corporation made by a test.
#[derive(Debug, Clone)]
pub struct Corporation {
    /// The number without its check digit.
    pub body: u64,
    pub name: String,
    pub kind: u16,
    pub process: u16,
    /// 0 if the corporation is open.
    pub close_cause: u16,
    /// An index into [`PLACES`]; the index after the last is abroad.
    pub place: usize,
    pub street: String,
    pub post_code: Option<u32>,
    pub outside: String,
    pub en_name: String,
    pub furigana: String,
    pub hidden: bool,
}

/// Prefectures and cities in the order of rows. The last two have one code with two names.
pub const PLACES: [(u8, u16, &str, &str); 5] = [
    (1, 101, "北海道", "札幌市中央区"),
    (13, 101, "東京都", "千代田区"),
    (13, 103, "東京都", "港区"),
    (26, 102, "京都府", "京都市上京区"),
    (26, 102, "京都府", "京都市上亰区"),
];

impl Corporation {
    pub fn number(&self) -> CorporateNumber {
        CorporateNumber::from_body(self.body).expect("twelve digits")
    }

    fn place(&self) -> Option<(u8, u16, &'static str, &'static str)> {
        PLACES.get(self.place).copied()
    }

    /// Appends the corporation's row of the full file.
    pub fn push_csv(&self, sequence: usize, out: &mut String) {
        let (prefecture_code, city_code, prefecture, city) = match self.place() {
            Some((prefecture, city, name, city_name)) => {
                (format!("{prefecture:02}"), format!("{city:03}"), name, city_name)
            }
            None => (String::new(), String::new(), "", ""),
        };
        let street = if self.place().is_some() { self.street.as_str() } else { "" };
        let post_code = self.post_code.map(|code| format!("{code:07}")).unwrap_or_default();
        let (close_date, cause) = match self.close_cause {
            0 => ("", String::new()),
            cause => ("2026-01-05", format!("{cause:02}")),
        };
        let Corporation { process, kind, name, outside, en_name, furigana, .. } = self;
        let hidden = u8::from(self.hidden);
        let quoted = |text: &str| match text {
            "" => String::new(),
            text => format!("\"{text}\""),
        };
        let _ = writeln!(
            out,
            "{sequence},{},{process:02},0,2026-04-01,2026-04-01,{},,{kind},{},{},{},,{prefecture_code},\
             {city_code},{post_code},{},,{close_date},{cause},,,2015-10-05,1,{},,,,{},{hidden}",
            self.number(),
            quoted(name),
            quoted(prefecture),
            quoted(city),
            quoted(street),
            quoted(outside),
            quoted(en_name),
            quoted(furigana),
        );
    }
}

/// The model of a search over these corporations in a mode.
pub struct Model<'a> {
    /// In the order of rows.
    pub corporations: &'a [Corporation],
    pub mode: SearchMode,
}

impl Model<'_> {
    /// The corporations that match, in the order of the answer.
    pub fn search(&self, q: &CorporateQuery) -> Vec<&Corporation> {
        let mut names = Vec::new();
        name_keywords(q, &mut names);
        let found = self.corporations.iter().filter(|it| !it.hidden && self.query(q, it));
        let mut found: Vec<&Corporation> = found.collect();
        let words = Words::of(q);
        found.sort_by_key(|it| {
            let (joined, met, names) = match &words {
                Some(words) => (words.joined_class(self, it), words.met(self, it), &words.names),
                None => (3, 0, &names),
            };
            let class = names.iter().map(|name| self.class(name, it)).min().unwrap_or(2);
            let standing = standing(it);
            let met_by_name = if class == 2 { self.met_by_name(q, it) } else { Reverse(0) };
            match joined {
                // Names that equal all words together come before rows that meet more words.
                0 | 1 => {
                    let typed = words.as_ref().map(|it| it.joined(joined == 0)).unwrap_or_default();
                    (joined, Reverse(0), 0, 0, Reverse(0), standing, !is_written_as(it, &typed))
                }
                2 => (2, Reverse(met), 0, 0, Reverse(0), standing, false),
                _ => {
                    let typed: Vec<String> = names.iter().map(|it| (*it).to_owned()).collect();
                    let differs = class == 0 && !is_written_as(it, &typed);
                    (2, Reverse(met), 1, class, met_by_name, standing, differs)
                }
            }
        });
        found
    }

    /// How many bare keywords a corporation meets by a name; 0 for all if no keyword names a place.
    fn met_by_name(&self, q: &CorporateQuery, of: &Corporation) -> Reverse<usize> {
        let mut bare = Vec::new();
        q.collect_keywords(|field| field.is_none(), &mut bare);
        let names_place = self.mode == SearchMode::Partial
            && bare.iter().any(|text| PLACES.iter().any(|place| is_named(place, text)));
        let met = bare.iter().filter(|text| self.any_name(text, of)).count();
        Reverse(if names_place { met } else { 0 })
    }

    /// Whether a name or the reading contains a keyword.
    fn any_name(&self, keyword: &str, of: &Corporation) -> bool {
        let fields = [CorporateField::Name, CorporateField::EnName, CorporateField::Furigana];
        fields.into_iter().any(|field| self.field(field, keyword, of))
    }

    fn class(&self, keyword: &str, of: &Corporation) -> u8 {
        if self.mode != SearchMode::Partial {
            return if self.name(keyword, of) { 0 } else { 2 };
        }
        let keyword = expand(&folded(keyword.trim(), Level::Search), Level::Search).into_owned();
        let name = folded(of.name.trim(), Level::Search);
        let body = split(&name, Level::Search).0;
        if keyword == name || keyword == body {
            0
        } else if keyword.chars().count() > 1
            && (name.starts_with(&keyword) || body.starts_with(&keyword))
        {
            1
        } else {
            2
        }
    }

    fn query(&self, q: &CorporateQuery, of: &Corporation) -> bool {
        let (mut found, mut finds, mut allowed) = (false, false, true);
        for clause in &q.clauses {
            let mut sides = clause.conjunctions.iter().map(|side| &side.terms);
            let matches = sides.any(|terms| terms.iter().all(|term| self.term(term, of)));
            if clause.only_restricts() {
                allowed &= matches;
            } else {
                finds = true;
                found |= matches;
            }
        }
        allowed && (found || !finds)
    }

    fn term(
        &self,
        term: &Term<daicho::dataset::corporate::syntax::CorporateVocabulary>,
        of: &Corporation,
    ) -> bool {
        let found = match &term.kind {
            TermKind::Keyword { field: Some(field), text } => self.field(*field, text, of),
            TermKind::Keyword { field: None, text } if self.mode != SearchMode::Partial => {
                self.name(text, of)
            }
            TermKind::Keyword { field: None, text } => {
                let place = of.place();
                self.any_name(text, of)
                    || place.is_some_and(|place| is_named(&place, text))
                    || is_number(text, of)
            }
            TermKind::Filter(CorporateFilter::Area(path)) => in_area(path, of),
            TermKind::Filter(CorporateFilter::Code(path)) => has_code(*path, of),
            TermKind::Group(query) => self.query(query, of),
        };
        found != term.excluded
    }

    fn name(&self, keyword: &str, of: &Corporation) -> bool {
        let level = if self.mode == SearchMode::Partial { Level::Search } else { Level::Kanji };
        let (name, keyword) = (folded(of.name.trim(), level), folded(keyword.trim(), level));
        let (body, form) = split(&name, level);
        match self.mode {
            SearchMode::Partial => {
                let keyword = expand(&keyword, level);
                contains(&name, &keyword) || keyword.chars().count() == 1 && body == keyword
            }
            SearchMode::Exact => equals_without_kind_words(&name, &keyword, level),
            SearchMode::ExactWithKind => {
                let keyword = expand(&keyword, level);
                let (same, wanted) = split(&keyword, level);
                body == same && form.word() == wanted.word()
            }
            SearchMode::Loose => panic!("the model has no loose names"),
        }
    }

    fn field(&self, field: CorporateField, keyword: &str, of: &Corporation) -> bool {
        let keyword = keyword.trim();
        let search =
            |text: &str| contains(&folded(text, Level::Search), &folded(keyword, Level::Search));
        let digits = folded(keyword, Level::Search);
        let (_, _, prefecture, city) = of.place().unwrap_or_default();
        match field {
            CorporateField::Name => self.name(keyword, of),
            // A full file has none.
            CorporateField::FormerName => false,
            CorporateField::EnName => {
                contains(&folded(&of.en_name, Level::Width), &folded(keyword, Level::Width))
            }
            CorporateField::Furigana => {
                let katakana = digits.chars().map(|letter| match letter {
                    'ぁ'..='ゖ' => char::from_u32(letter as u32 + 0x60).expect("katakana"),
                    other => other,
                });
                contains(&folded(&of.furigana, Level::Search), &katakana.collect::<String>())
            }
            CorporateField::PostCode => of.post_code.is_some_and(|code| {
                contains(&format!("{code:07}"), &digits.replace(['-', '〒'], ""))
            }),
            CorporateField::PrefectureName => search(prefecture),
            CorporateField::CityName => search(city),
            CorporateField::AddressOutside => search(&of.outside),
            CorporateField::StreetNumber => of.place().is_some() && search(&of.street),
            CorporateField::CorporateNumber => contains(&of.number().to_string(), &digits),
        }
    }

    /// The children of an area.
    pub fn areas(path: &FacetPath, found: &[&Corporation]) -> Vec<(String, u64)> {
        let children = found.iter().filter(|it| in_area(path, it)).filter_map(|it| {
            match (path.names().len(), it.place()) {
                (0, Some((_, _, prefecture, _))) => Some(format!("/{prefecture}")),
                (0, None) => Some("/海外など".to_owned()),
                (1, Some((_, _, prefecture, city))) => Some(format!("/{prefecture}/{city}")),
                _ => None,
            }
        });
        counted(children)
    }

    /// The children of a facet of codes.
    pub fn codes(path: CodePath<Attribute>, found: &[&Corporation]) -> Vec<(String, u64)> {
        let word = |it: &&Corporation| path.facet.word(code(path.facet, it)).expect("a known code");
        counted(found.iter().filter(|_| path.code.is_none()).map(|it| format!("/{}", word(it))))
    }
}

/// The words of a query without operators.
struct Words<'q> {
    /// Each with its field, and whether it is no kind word.
    words: Vec<(Option<CorporateField>, &'q str, bool)>,
    /// The weighing words that search names.
    names: Vec<&'q str>,
}

impl<'q> Words<'q> {
    fn of(q: &'q CorporateQuery) -> Option<Words<'q>> {
        let words = q.words();
        let searches_names = |field| matches!(field, None | Some(CorporateField::Name));
        let is_kind = |text: &str| {
            let text = folded(text.trim(), Level::Search);
            is_kind_word(&expand(&text, Level::Search), Level::Search)
        };
        let mut words: Vec<_> = words
            .iter()
            .map(|it| (it.field, it.text, !searches_names(it.field) || !is_kind(it.text)))
            .collect();
        if words.iter().all(|(_, _, weighs)| !weighs) {
            words.iter_mut().for_each(|(_, _, weighs)| *weighs = true);
        }
        let names = words.iter().filter(|(field, _, weighs)| *weighs && searches_names(*field));
        let names = names.map(|(_, text, _)| *text).collect();
        (!words.is_empty()).then_some(Words { words, names })
    }

    fn met(&self, model: &Model<'_>, of: &Corporation) -> usize {
        let weighing = self.words.iter().filter(|(_, _, weighs)| *weighs);
        weighing
            .filter(|(field, text, _)| {
                let kind = TermKind::Keyword { field: *field, text: (*text).to_owned() };
                model.term(&Term { excluded: false, kind, span: 0..0 }, of)
            })
            .count()
    }

    /// The words together as one name, as they are typed.
    fn joined(&self, with_kinds: bool) -> Vec<String> {
        let all: Vec<&str> = self.words.iter().map(|(_, text, _)| text.trim()).collect();
        let words = if with_kinds { &all } else { &self.names };
        vec![words.concat(), words.join(" ")]
    }

    /// 0 if a name equals the words together, 1 if it equals them without their kind words, 2 if it begins with them,
    /// else 3.
    fn joined_class(&self, model: &Model<'_>, of: &Corporation) -> u8 {
        let is_name =
            |field: &Option<CorporateField>| matches!(field, None | Some(CorporateField::Name));
        if model.mode != SearchMode::Partial || !self.words.iter().all(|(it, _, _)| is_name(it)) {
            return 3;
        }
        let all: Vec<&str> = self.words.iter().map(|(_, text, _)| text.trim()).collect();
        let class = |words: &[&str]| {
            let names = [words.concat(), words.join(" ")].map(|name| {
                let name = expand(&folded(&name, Level::Search), Level::Search).into_owned();
                match model.class(&name, of) {
                    // The beginning of a kind word begins a million names, so it does not count.
                    1 if begins_kind_word(&name) => 2,
                    class => class,
                }
            });
            names.into_iter().min().unwrap_or(2)
        };
        match (class(&all), class(&self.names)) {
            (0, _) => 0,
            (_, 0) => 1,
            (1, _) | (_, 1) => 2,
            _ => 3,
        }
    }
}

/// Whether a name is written as one of the keywords but for its width.
fn is_written_as(of: &Corporation, typed: &[String]) -> bool {
    let name = folded(of.name.trim(), Level::Width);
    let body = split(&name, Level::Width).0;
    typed.iter().any(|typed| {
        let typed = folded(typed.trim(), Level::Width);
        let typed = expand(&typed, Level::Width);
        typed == name || typed == body
    })
}

fn begins_kind_word(name: &str) -> bool {
    let word = |form: Form| {
        let space = if form.is_spaced() { " " } else { "" };
        matches!(form.word(), Some((_, Side::Before)))
            .then(|| [folded_word(form, Level::Search), space].concat())
    };
    Form::all().filter_map(word).any(|word| word.starts_with(name))
}

fn standing(of: &Corporation) -> Standing {
    match of.close_cause {
        0 => Standing::Open,
        _ => Standing::Closed,
    }
}

/// Whether a keyword is the whole prefecture or municipality, or both.
fn is_named((_, _, prefecture, city): &(u8, u16, &str, &str), keyword: &str) -> bool {
    let [keyword, prefecture, city] =
        [keyword.trim(), *prefecture, *city].map(|text| folded(text, Level::Search));
    let parts = city.split_once('市').map(|(city, ward)| [format!("{city}市"), ward.to_owned()]);
    let names = [prefecture.clone(), city.clone(), format!("{prefecture}{city}")];
    let with_prefecture = parts.iter().flatten().map(|part| format!("{prefecture}{part}"));
    let mut all = names.into_iter().chain(with_prefecture).chain(parts.iter().flatten().cloned());
    keyword.chars().count() > 1 && all.any(|name| name == keyword)
}

fn is_number(keyword: &str, of: &Corporation) -> bool {
    let digits = folded(keyword.trim(), Level::Search);
    digits.strip_prefix('t').unwrap_or(&digits) == of.number().to_string()
}

fn contains(text: &str, keyword: &str) -> bool {
    match keyword.chars().count() {
        0 => false,
        1 => text == keyword,
        _ => text.contains(keyword),
    }
}

fn in_area(path: &FacetPath, of: &Corporation) -> bool {
    match (path.names(), of.place()) {
        ([], _) => true,
        ([name], None) => name == "海外など",
        ([name], Some((_, _, prefecture, _))) => name == prefecture,
        ([name, below, ..], Some((_, _, prefecture, city))) => name == prefecture && below == city,
        (_, None) => false,
    }
}

fn code(facet: Attribute, of: &Corporation) -> u16 {
    match facet {
        Attribute::Kind => of.kind,
        Attribute::Process => of.process,
        Attribute::CloseCause => of.close_cause,
    }
}

fn has_code(path: CodePath<Attribute>, of: &Corporation) -> bool {
    path.code.is_none_or(|wanted| wanted == code(path.facet, of))
}

fn counted(paths: impl Iterator<Item = String>) -> Vec<(String, u64)> {
    let mut counts = std::collections::BTreeMap::new();
    paths.for_each(|path| *counts.entry(path).or_insert(0) += 1);
    let mut counts: Vec<(String, u64)> = counts.into_iter().collect();
    counts.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    counts
}

fn name_keywords<'q>(q: &'q CorporateQuery, out: &mut Vec<&'q str>) {
    for term in q.terms().filter(|term| !term.excluded) {
        match &term.kind {
            TermKind::Keyword { field: None | Some(CorporateField::Name), text } => out.push(text),
            TermKind::Group(query) => name_keywords(query, out),
            _ => {}
        }
    }
}
