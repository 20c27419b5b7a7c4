//! The rows of a corporate snapshot, in the form that every engine indexes.

use daicho::dataset::corporate::CorporateData;
use daicho::dataset::corporate::record::CorporateView;
use daicho::dataset::corporate::syntax::{FieldFolder, TextField};

/// Searched fields.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Field {
    Name,
    Furigana,
    Street,
}

impl Field {
    pub const ALL: [Field; 3] = [Field::Name, Field::Furigana, Field::Street];

    /// The field in daicho's index.
    fn of_daicho(self) -> TextField {
        match self {
            Field::Name => TextField::Name,
            Field::Furigana => TextField::Furigana,
            Field::Street => TextField::StreetNumber,
        }
    }

    /// The name of the field in a query.
    pub fn name(self) -> &'static str {
        match self {
            Field::Name => "name",
            Field::Furigana => "furigana",
            Field::Street => "street_number",
        }
    }
}

/// Number of facets: prefecture, kind, process and cause of closing. Each value is below 100.
pub const FACETS: usize = 4;

/// The facet values of one row: prefecture (99: abroad), index of its kind in [`KINDS`], process, cause of closing
/// (0: not closed).
pub type FacetValues = [u8; FACETS];

/// The codes of the kinds; a facet value is an index of this array.
pub const KINDS: [u16; 10] = [101, 201, 301, 302, 303, 304, 305, 399, 401, 499];

/// One row: its texts in the order of [`Field::ALL`], folded as daicho folds them.
pub struct Row {
    pub texts: [String; 3],
    pub facets: FacetValues,
}

/// Reads folded texts as the search index of a snapshot does. Keeps its buffers between calls.
#[derive(Default)]
pub struct Texts {
    letters: FieldFolder,
    folded: Vec<char>,
}

impl Texts {
    /// The folded text of a field; empty if the corporation is excluded from searches.
    pub fn text(&mut self, view: CorporateView<'_>, field: Field) -> String {
        self.letters.fold_field(view, field.of_daicho(), &mut self.folded);
        self.folded.iter().collect()
    }
}

/// Calls `take` for every row that searches can find.
pub fn each(data: &CorporateData, mut take: impl FnMut(Row)) {
    let mut texts = Texts::default();
    let each = data.for_each(|view| {
        if view.hihyoji() {
            return;
        }
        let kind = KINDS.iter().position(|kind| *kind == view.kind()).expect("a kind");
        let facets = [
            view.place().prefecture_code().unwrap_or(99),
            kind as u8,
            view.process(),
            view.close_cause().unwrap_or(0),
        ];
        take(Row { texts: Field::ALL.map(|field| texts.text(view, field)), facets });
    });
    each.expect("a sound snapshot");
}

/// The pairs of adjacent letters of a text, which both engines index.
pub fn bigrams(text: &str) -> impl Iterator<Item = &str> {
    let starts = text.char_indices().map(|(at, _)| at);
    let ends = text.char_indices().skip(1).map(|(at, second)| at + second.len_utf8());
    starts.zip(ends).map(|(start, end)| &text[start..end])
}
