//! The fields and filters of corporate queries, and groups in parentheses.

use proptest::prelude::*;

use super::syntax::*;
use crate::query::syntax::*;

/// The structure of a query on one line, in the notation of `tests.rs`; groups in parentheses.
fn structure(query: &CorporateQuery) -> String {
    let term = |term: &Term<CorporateVocabulary>| {
        let minus = if term.excluded { "-" } else { "" };
        match &term.kind {
            TermKind::Keyword { field: None, text } => format!("{minus}{text}"),
            TermKind::Keyword { field: Some(field), text } => format!("{minus}{field:?}:{text}"),
            TermKind::Filter(CorporateFilter::Area(path)) => format!("{minus}{path}"),
            TermKind::Filter(CorporateFilter::Code(path)) => {
                format!("{minus}{}:{path}", path.facet.name())
            }
            TermKind::Group(query) => format!("{minus}({})", structure(query)),
        }
    };
    let conjunction = |conjunction: &Conjunction<CorporateVocabulary>| {
        conjunction.terms.iter().map(term).collect::<Vec<_>>().join("&")
    };
    let clause = |clause: &Clause<CorporateVocabulary>| {
        let sides: Vec<_> = clause.conjunctions.iter().map(conjunction).collect();
        format!("[{}]{}", sides.join("|"), if clause.only_restricts() { "!" } else { "" })
    };
    query.clauses.iter().map(clause).collect()
}

fn parsed(query: &str, grouping: Grouping) -> Result<String, SyntaxError> {
    CorporateQuery::parse_with(query, grouping).map(|query| structure(&query))
}

#[test]
fn queries_are_parsed_into_clauses_and_terms() {
    #[track_caller]
    fn check(query: &str, expected: &str) {
        for grouping in [Grouping::Refused, Grouping::Allowed] {
            assert_eq!(parsed(query, grouping).as_deref(), Ok(expected), "{query:?}");
        }
    }
    check("見本", "[見本]");
    check("見", "[見]");
    check("name:見本 AND prefecture_name:東京都", "[Name:見本&PrefectureName:東京都]");
    check("en_name:Sample furigana:ミホン", "[EnName:Sample][Furigana:ミホン]");
    check("post_code:100 city_name:港区", "[PostCode:100][CityName:港区]");
    check(
        "address_outside:London OR street_number:麹町",
        "[AddressOutside:London|StreetNumber:麹町]",
    );
    check("corporate_number:7000012050002", "[CorporateNumber:7000012050002]");
    check("見本 _facet_area:/東京都/港区", "[見本][/東京都/港区]!");
    check("-_facet_area:/海外など", "[-/海外など]!");
    check("_facet_kind:/株式会社 見本", "[kind:/株式会社]![見本]");
    check("見本 AND _facet_process:/新規", "[見本&process:/新規]");
    check("_facet_close_cause:/", "[close_cause:/]!");
    check("name:\"東京 商事\"", "[Name:東京 商事]");
    check("（株）見本", "[（株）見本]");
    check("name:\"a\\\"b\"", "[Name:a\"b]");
}

#[test]
fn groups_are_terms_where_they_are_allowed() {
    #[track_caller]
    fn check(query: &str, expected: &str) {
        assert_eq!(parsed(query, Grouping::Allowed).as_deref(), Ok(expected), "{query:?}");
        let refused = CorporateQuery::parse(query).map_err(|error| error.fault);
        assert!(matches!(refused, Err(SyntaxFault::Forbidden { found: '(' | ')' })), "{query:?}");
    }
    check("(見本)", "[([見本])]");
    check("( 見本 )", "[([見本])]");
    check("(見本 OR 東京) AND name:商事", "[([見本|東京])&Name:商事]");
    check("見本 AND -(東京 OR 大阪)", "[見本&-([東京|大阪])]");
    check("見本 -(東京)", "[見本][-([東京])]!");
    check("((a1 OR b1) AND c1) d1", "[([([a1|b1])&c1])][d1]");
    check(
        "見本 (_facet_kind:/株式会社 OR _facet_kind:/有限会社)",
        "[見本][([kind:/株式会社|kind:/有限会社]!)]!",
    );
    check("(-見本)", "[([-見本]!)]!");
    check("name:\"見本(株)\"", "[Name:見本(株)]");
    check("(\"a b\")", "[([a b])]");
    check("((見本) (東京))", "[([([見本])][([東京])])]");
}

#[test]
fn errors_state_position_problem_and_remedy() {
    #[track_caller]
    fn check(query: &str, grouping: Grouping, position: usize, message: &str) {
        let error = CorporateQuery::parse_with(query, grouping).expect_err(query);
        assert_eq!(error.position, position, "{query:?}: {error}");
        assert!(error.to_string().contains(message), "{query:?}: {error}");
    }
    for found in ['(', ')', '{', '}', '[', ']', '\''] {
        let message = format!("{found:?} is not allowed in a query");
        check(&format!("見本{found}"), Grouping::Refused, 3, &message);
        check(&format!("name:\"見{found}本\""), Grouping::Refused, 8, &message);
        check(&format!("{found}"), Grouping::Refused, 1, &message);
        if !matches!(found, '(' | ')') {
            check(&format!("(見本 \"{found}\")"), Grouping::Allowed, 6, &message);
        }
    }
    check("", Grouping::Refused, 1, "in the query, found the end");
    check("\" \"", Grouping::Refused, 1, "at least 1 character;");
    check("town:本町", Grouping::Refused, 1, "name, en_name, furigana, post_code");
    check("_facet:/東京都", Grouping::Refused, 1, "_facet_area, _facet_kind");
    check("_facet_kind:株式会社", Grouping::Refused, 1, "one of /, /行政機関など");
    check("_facet_process:/株式会社", Grouping::Refused, 1, "one of /, /新規");
    check("_facet_close_cause:/1", Grouping::Refused, 1, "/清算の結了等");
    check("_facet_area:東京都", Grouping::Refused, 1, "begins with '/'");
    check("()", Grouping::Allowed, 2, "in the parentheses");
    check("(見本", Grouping::Allowed, 1, "expected a closing parenthesis");
    check("見本)", Grouping::Allowed, 3, "without an opening one");
    check("(見本 AND)", Grouping::Allowed, 8, "after AND");
    check("(見本)東京", Grouping::Allowed, 5, "a space around a group");
    check("東京(見本)", Grouping::Allowed, 3, "a space around a group");
    check("name:(見本)", Grouping::Allowed, 6, "a space around a group");
    check("--(見本)", Grouping::Allowed, 2, "after '-'");
    check("(見本 OR -東京)", Grouping::Allowed, 8, "only excluded ones");
    check("見本 OR -(東京)", Grouping::Allowed, 7, "only excluded ones");
    let nested = "(".repeat(DEPTH_MAX + 1) + "見本";
    check(&nested, Grouping::Allowed, DEPTH_MAX + 1, "at most 8 nested groups");
    let nested = format!("{}見本{}", "(".repeat(DEPTH_MAX), ")".repeat(DEPTH_MAX));
    assert!(CorporateQuery::parse_with(&nested, Grouping::Allowed).is_ok());
    let terms = format!("({}見本)", "見本 ".repeat(TERMS_MAX));
    check(&terms, Grouping::Allowed, TERMS_MAX * 3 + 2, "at most 64 keywords");
}

/// Fragments near the limits of the rules, to compose queries from.
fn fragment() -> impl Strategy<Value = String> {
    let fixed = [
        " ",
        "AND",
        "OR",
        " AND ",
        " OR ",
        "-",
        "\"",
        "\\\"",
        ":",
        "(",
        ")",
        "name:",
        "_facet_kind:/",
        "見本",
        "見",
        "ab",
        "'",
        "[",
        "\u{0}",
    ];
    prop_oneof![8 => prop::sample::select(fixed.to_vec()).prop_map(str::to_owned), 1 => ".{0,3}"]
}

proptest! {
    #[test]
    fn any_text_is_parsed_or_an_error(
        query in prop::collection::vec(fragment(), 0..24).prop_map(|fragments| fragments.concat()),
    ) {
        for grouping in [Grouping::Refused, Grouping::Allowed] {
            match CorporateQuery::parse_with(&query, grouping) {
                Ok(found) => {
                    let mut end = 0;
                    for term in found.terms() {
                        prop_assert!(term.span.start >= end, "terms are in order");
                        end = term.span.end;
                        let alone = CorporateQuery::parse_with(&query[term.span.clone()], grouping);
                        let alone = alone.expect("it was a term");
                        prop_assert_eq!(alone.terms().count(), 1);
                        let same = alone.terms().all(|alone| alone.excluded == term.excluded);
                        prop_assert!(same, "{}", query);
                    }
                }
                Err(error) => {
                    prop_assert!(query.get(error.span.clone()).is_some(), "a span of characters");
                    prop_assert!(error.to_string().len() < 900);
                }
            }
        }
    }
}
