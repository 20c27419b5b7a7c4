//! Fields and filters of queries for schools, and the searched texts of schools with the folding of keywords for them.
//!
//! Width, kanji variants, small kana, spaces, ヶ and が, の and ノ, and the kind of hyphen between numbers are folded.

use super::record::{School, SchoolTables};
use crate::index::grams;
use crate::index::grams::{BuildFault, Dictionary, Listing, RowLists, TextSections};
use crate::query::syntax::{CodeFacet, FacetFilter, Query, Space, Vocabulary};
use crate::snapshot::SectionTag;
use crate::text::codes::digits::PREFECTURES;
use crate::text::codes::school_code::{BRANCHES, ESTABLISHMENTS, TYPES};
use crate::text::fold;
use crate::text::fold::Level;
use crate::text::named_enum::named_enum;

/// The vocabulary of searches for schools. A type parameter, never a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SchoolVocabulary {}

pub type SchoolQuery = Query<SchoolVocabulary>;

/// A searchable field. A keyword without an identifier searches name and address.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum SchoolField {
    Name,
    /// The name of a closed school that an open one followed.
    FormerName,
    /// As published.
    Address,
    /// The beginning of a code.
    Code,
    /// The complete number of the older survey.
    SurveyNumber,
    /// The type, as its code (F1) or its word (大学).
    Type,
    /// A run of digits of the postal code.
    PostalCode,
}

named_enum! {
    fn name;
    pub enum SchoolFacet {
        /// The responsible prefecture, which may differ from the prefecture of the address.
        Prefecture = "prefecture",
        Type = "type",
        EstablishmentType = "establishment_type",
        Branch = "branch",
    }
}

impl CodeFacet for SchoolFacet {
    const FACETS: &'static [SchoolFacet] = &SchoolFacet::ALL;

    fn name(self) -> &'static str {
        SchoolFacet::name(self)
    }

    fn words(self) -> &'static [(u16, &'static str)] {
        match self {
            SchoolFacet::Prefecture => &PREFECTURES,
            SchoolFacet::Type => &TYPES,
            SchoolFacet::EstablishmentType => &ESTABLISHMENTS,
            SchoolFacet::Branch => &BRANCHES,
        }
    }
}

pub type SchoolFilter = FacetFilter<SchoolFacet>;

impl Vocabulary for SchoolVocabulary {
    type Field = SchoolField;
    type Filter = SchoolFilter;

    /// As the hosted service documents its search for schools.
    const SPACE: Space = Space::And;
    const FIELDS: &'static [(&'static str, SchoolField)] = &[
        ("name", SchoolField::Name),
        ("address", SchoolField::Address),
        ("code", SchoolField::Code),
        ("school_survey_number", SchoolField::SurveyNumber),
        ("type", SchoolField::Type),
        ("postal_code", SchoolField::PostalCode),
        ("former_name", SchoolField::FormerName),
    ];
    const FILTERS: &'static [&'static str] = &[
        "_facet_area",
        "_facet_prefecture",
        "_facet_type",
        "_facet_establishment_type",
        "_facet_branch",
    ];

    fn parse_filter(identifier: &str, value: &str) -> Result<SchoolFilter, String> {
        FacetFilter::parse(identifier, value)
    }

    fn keyword_length(keyword: &str) -> usize {
        fold::search_length(keyword, SchoolText::LEVEL)
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SchoolText {
    Name,
    /// The address as published.
    Address,
}

impl SchoolText {
    pub const ALL: [SchoolText; 2] = [SchoolText::Name, SchoolText::Address];

    pub const LEVEL: Level = Level::Address;

    /// A gram of three or more letters is listed if it occurs in more rows than this.
    const THRESHOLD: u32 = 100;
    /// A gram in more rows than this is common, see [`RowLists::common`].
    const COMMON: u32 = 800;

    pub const fn sections(self) -> TextSections {
        let [grams, lists, sums] = match self {
            SchoolText::Name => ["name.g", "name.l", "name.s"],
            SchoolText::Address => ["addr.g", "addr.l", "addr.s"],
        };
        TextSections {
            grams: SectionTag::new(grams),
            lists: SectionTag::new(lists),
            sums: SectionTag::new(sums),
        }
    }

    /// The compared letters of this text.
    fn letters_of(self, school: &School, out: &mut Vec<char>) {
        match self {
            SchoolText::Name => {
                out.clear();
                out.extend(school.name_key.chars());
            }
            SchoolText::Address => fold::search_letters(&school.address, SchoolText::LEVEL, out),
        }
    }

    /// Builds the index of this text: the dictionary, and the bytes of the lists.
    pub fn index(self, tables: &SchoolTables) -> Result<(Dictionary, Vec<u8>), BuildFault> {
        let rows = u32::try_from(tables.schools.len()).unwrap_or(u32::MAX);
        let rule = RowLists::smallest(SchoolText::THRESHOLD, SchoolText::COMMON);
        grams::build(rows, Listing::Rows(rule), |row, out| {
            self.letters_of(&tables.schools[row as usize], out);
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::query::syntax::CodePath;

    #[test]
    fn only_fields_and_filters_of_schools_are_accepted() {
        for query in [
            "name:大学 address:港区",
            "code:F1",
            "type:F1 postal_code:1130033",
            "former_name:大学 OR name:大学",
            "大学 _facet_type:/大学 -_facet_area:/東京都",
        ] {
            assert!(SchoolQuery::parse(query).is_ok(), "{query}");
        }
        for (query, expected) in [
            ("en_name:x", "expected one of the identifiers name, address, code"),
            ("_facet_type:/東京都", "one of /, /幼稚園"),
            ("_facet_area:東京都", "begins with '/'"),
            ("大学(東京)", "'('"),
            ("", "expected a keyword"),
        ] {
            let error = SchoolQuery::parse(query).expect_err(query).to_string();
            assert!(error.contains(expected), "{error}");
        }
    }

    #[test]
    fn a_space_means_and() {
        for (q, same) in [
            ("東京 大学", "東京 AND 大学"),
            ("東京 大学 OR 短期", "東京 AND 大学 OR 短期"),
            ("東京 -短期 _facet_branch:/本校", "東京 AND -短期 AND _facet_branch:/本校"),
        ] {
            let structure = |q: &str| {
                let query = SchoolQuery::parse(q).expect(q);
                let terms = |clause: &crate::query::syntax::Clause<SchoolVocabulary>| {
                    let lengths = clause.conjunctions.iter().map(|it| it.terms.len());
                    lengths.collect::<Vec<_>>()
                };
                query.clauses.iter().map(terms).collect::<Vec<_>>()
            };
            assert_eq!(structure(q), structure(same), "{q}");
        }
    }

    #[test]
    fn paths_of_facets_have_one_level_of_known_words() {
        for (facet, text, code) in [
            (SchoolFacet::Type, "/大学", 61),
            (SchoolFacet::Prefecture, "/東京都/", 13),
            (SchoolFacet::Branch, "/廃校", 9),
        ] {
            assert_eq!(CodePath::parse(facet, text), Ok(CodePath { facet, code: Some(code) }));
        }
        for wrong in ["", "大学", "/F1", "/東京都", "/大学/x"] {
            let error = CodePath::parse(SchoolFacet::Type, wrong).expect_err(wrong);
            assert!(error.contains("one of /, /幼稚園, "), "{error}");
        }
    }

    #[test]
    fn paths_of_facets_print_as_they_were_parsed() {
        for facet in SchoolFacet::FACETS {
            for (code, word) in facet.words() {
                let path = CodePath { facet: *facet, code: Some(*code) };
                assert_eq!(path.to_string(), format!("/{word}"));
                assert_eq!(CodePath::parse(*facet, &path.to_string()), Ok(path));
            }
            assert_eq!(CodePath { facet: *facet, code: None }.to_string(), "/");
        }
    }
}
