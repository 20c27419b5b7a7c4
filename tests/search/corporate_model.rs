//! A model of the corporate search: it looks at every corporation, without an index, and the index must
//! give the same answers. Also the test's corporations, and their rows in the tax agency's format.

use std::fmt::Write as _;

use daicho::dataset::corporate::search::SearchMode;
use daicho::dataset::corporate::syntax::{CorporateField, CorporateFilter, CorporateQuery};
use daicho::index::attributes::Attribute;
use daicho::query::syntax::{CodeFacet, CodePath, FacetPath, Term, TermKind};
use daicho::text::codes::CorporateNumber;
use daicho::text::fold::{Level, folded};
use daicho::text::kind_words::{expand, shortened, split};

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
        found.sort_by_key(|it| names.iter().map(|name| self.class(name, it)).min());
        found
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
                let fields =
                    [CorporateField::Name, CorporateField::EnName, CorporateField::Furigana];
                fields.into_iter().any(|field| self.field(field, text, of))
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
            SearchMode::Exact => body == keyword || shortened(&name, level).contains(&keyword),
            SearchMode::ExactWithKind => {
                let keyword = expand(&keyword, level);
                let (same, wanted) = split(&keyword, level);
                body == same && form.word() == wanted.word()
            }
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
