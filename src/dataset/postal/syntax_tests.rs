//! The query language: single cases, and properties that hold for any text.

use proptest::prelude::*;

use super::syntax::*;
use crate::query::syntax::*;

/// The structure of a query on one line: clauses in brackets, `|` for OR, `&` for AND, `!` for a
/// clause that only restricts.
fn structure(query: &str) -> Result<String, SyntaxError> {
    let term = |term: &Term<PostalVocabulary>| {
        let minus = if term.excluded { "-" } else { "" };
        match &term.kind {
            TermKind::Keyword { field: None, text } => format!("{minus}{text}"),
            TermKind::Keyword { field: Some(field), text } => format!("{minus}{field:?}:{text}"),
            TermKind::Filter(PostalFilter::Facet(path)) => format!("{minus}{path}"),
            TermKind::Filter(PostalFilter::Kind(kind)) => format!("{minus}{kind:?}"),
            TermKind::Group(_) => unreachable!("postal queries have no groups"),
        }
    };
    let conjunction = |conjunction: &Conjunction<PostalVocabulary>| {
        conjunction.terms.iter().map(term).collect::<Vec<_>>().join("&")
    };
    let clause = |clause: &Clause<PostalVocabulary>| {
        let sides: Vec<_> = clause.conjunctions.iter().map(conjunction).collect();
        format!("[{}]{}", sides.join("|"), if clause.only_restricts() { "!" } else { "" })
    };
    PostalQuery::parse(query).map(|query| query.clauses.iter().map(clause).collect())
}

#[test]
fn queries_are_parsed_into_clauses_and_terms() {
    #[track_caller]
    fn check(query: &str, expected: &str) {
        assert_eq!(structure(query).as_deref(), Ok(expected), "{query:?}");
    }
    check("東京", "[東京]");
    check("東京 大阪\t京都\n神戸", "[東京][大阪][京都][神戸]");
    check("  東京  ", "[東京]");
    // A full-width space is part of a keyword, but is no keyword alone.
    check("東京　タワー", "[東京　タワー]");
    check("東京　タワー 大阪　", "[東京　タワー][大阪　]");
    check("東京　AND　大阪", "[東京　AND　大阪]");
    check("　 東京 　 大阪", "[東京][大阪]");
    check("town:東京　タワー", "[Town:東京　タワー]");
    // A keyword may have one letter if there is another keyword.
    check("津市 乙", "[津市][乙]");
    check("乙 AND 津市 -甲", "[乙&津市][-甲]!");
    check("city:津市 town:乙", "[City:津市][Town:乙]");
    check("ｶﾞ 港区", "[ｶﾞ][港区]");
    check("東京 AND 大阪", "[東京&大阪]");
    check("東京 OR 大阪", "[東京|大阪]");
    check("東京 AND 大阪 OR 京都 AND 神戸", "[東京&大阪|京都&神戸]");
    check("東京 大阪 AND 京都", "[東京][大阪&京都]");
    check("東京 AND\n大阪", "[東京&大阪]");
    // Operators are whole words in upper case, outside quotes.
    check("東京 and 大阪", "[東京][and][大阪]");
    check("ANDO ORIX", "[ANDO][ORIX]");
    check("\"AND\" \"OR\" \"NOT\"", "[AND][OR][NOT]");
    check("東京 ＡＮＤ 大阪", "[東京][ＡＮＤ][大阪]");
    // Excluded keywords.
    check("東京 -大阪", "[東京][-大阪]!");
    check("東京 AND -大阪 OR 京都", "[東京&-大阪|京都]");
    check("-東京", "[-東京]!");
    check("-東京 AND -大阪", "[-東京&-大阪]!");
    check("-town:本町 -\"東京 商事\"", "[-Town:本町]![-東京 商事]!");
    check("1-6-1 東京-", "[1-6-1][東京-]");
    check("－東京", "[－東京]");
    // Fields.
    check("prefecture:東京都 city:港区 town:六本木", "[Prefecture:東京都][City:港区][Town:六本木]");
    check("koaza:丁目 kyoto_street:上る", "[Koaza:丁目][KyotoStreet:上る]");
    check("building:ビル floor:１階 block_lot:1-2", "[Building:ビル][Floor:１階][BlockLot:1-2]");
    check("corporation:\"東京 商事\"", "[Corporation:東京 商事]");
    check("corporation_kana:トヨタ", "[CorporationKana:トヨタ]");
    check("town:10:30", "[Town:10:30]");
    check("\"10:30\"", "[10:30]");
    check("town：本町", "[town：本町]");
    // Filters.
    check("_facet:/東京都/港区", "[/東京都/港区]!");
    check("_facet:\"/東京都/港区/\"", "[/東京都/港区]!");
    check("_facet:/ 塔の", "[/]![塔の]");
    check("塔の _type:1 _type:2", "[塔の][Code]![Business]!");
    check("_structure:1 OR _structure:2", "[Area|Building]!");
    check("塔の AND _type:2 OR 山の", "[塔の&Business|山の]");
    check("_type:2 OR 東京", "[Business|東京]");
    check("-_type:2", "[-Business]!");
    // Phrases.
    check(r#""東京 \"商事\"""#, "[東京 \"商事\"]");
    check(r#""逆斜線\\" "山\川""#, "[逆斜線\\][山\\川]");
    check("\"東京　商事\"", "[東京　商事]");
    check("\"(株)見本\" ［株］", "[(株)見本][［株］]");
    // Other characters are keywords.
    check("😀😀", "[😀😀]");
    check("\u{1}\u{2}", "[\u{1}\u{2}]");
    check("&& ||", "[&&][||]");
}

#[test]
fn errors_state_position_and_remedy() {
    #[track_caller]
    fn check(query: &str, position: usize, span: &str, message: &str) {
        let error = PostalQuery::parse(query).expect_err(query);
        assert_eq!(error.position, position, "{query:?}: {error}");
        assert_eq!(&query[error.span.clone()], span, "{query:?}: {error}");
        let text = error.to_string();
        assert!(text.contains(message), "{query:?}: {text}");
        assert!(text.starts_with(&format!("at character {position} of the query: ")), "{text}");
    }
    check("", 1, "", "expected a keyword in the query, found the end of the query");
    check(" \t　\n", 5, "", "found the end of the query");
    check("東京 AND 　", 9, "", "after AND, found the end");
    check("-　", 1, "-　", "which has 0");
    check("東", 1, "東", "at least 2 characters; found \"東\", which has 1");
    check("東 区", 1, "東", "has 1");
    check("_type:1 区", 9, "区", "has 1");
    check("-区", 1, "-区", "has 1");
    check("東京 \"\"", 4, "\"\"", "which has 0");
    check("town:区", 1, "town:区", "has 1");
    check("ｶﾞ", 1, "ｶﾞ", "which has 1");
    check("\"\"", 1, "\"\"", "found nothing, which has 0");
    check("\" 東 \"", 1, "\" 東 \"", "which has 1");
    check("AND 東京", 1, "AND", "expected a keyword before an operator, found \"AND\"");
    check("東京 OR", 6, "", "after OR, found the end");
    check("東京 AND ", 8, "", "after AND, found the end");
    check("東京 AND OR 大阪", 8, "OR", "after AND, found \"OR\"");
    check("東京 OR OR 大阪", 7, "OR", "after OR, found \"OR\"");
    check("東京 NOT 大阪", 4, "NOT", "write -keyword to exclude it");
    check("東京 -", 5, "", "after '-', found the end");
    check("- 東京", 2, "", "after '-', found \" \"");
    check("--東京", 2, "-東京", "after '-', found \"-東京\"");
    check("town: 本町", 6, "", "after the colon");
    check("town:", 6, "", "after the colon, found the end");
    check("10:30", 1, "10", "expected one of the identifiers prefecture, city, town, koaza");
    check("東京 name:商事", 4, "name", "put it in double quotes");
    check(":東京", 1, "", "found nothing");
    check("Town:本町", 1, "Town", "found \"Town\"");
    check("_type:3", 1, "_type:3", "_type: expected 1 or 2, found \"3\"");
    check("_type:２", 1, "_type:２", "expected 1 or 2");
    check("_structure:", 12, "", "after the colon");
    check("_facet:東京都", 1, "_facet:東京都", "begins with '/'");
    check("_facet://港区", 1, "_facet://港区", "found none at level 1");
    check("_facet:/a/b/c", 1, "_facet:/a/b/c", "at most 2 levels");
    check("\"東京", 1, "\"東京", "expected a closing double quote");
    check("東京 \"商事\\\"", 4, "\"商事\\\"", "closing double quote");
    check("東京\"商事\"", 3, "\"", "expected a space around a quoted keyword");
    check("\"東京\"商事", 5, "商事", "expected a space around a quoted keyword");
    check("(東京 OR 大阪)", 1, "(", "there is no grouping");
    check("東京 AND 大阪)", 10, ")", "there is no grouping");
    check("東京 OR -大阪", 7, "-大阪", "only excluded ones");
    check("-東京 AND -_type:2 OR 大阪", 1, "-東京 AND -_type:2", "only excluded ones");
    let long = "東".repeat(100);
    check(&format!("{long}:東京"), 1, &long, "and more");
}

#[test]
fn exceeding_a_limit_is_an_error() {
    let refused = |query: &str| PostalQuery::parse(query).expect_err("too much").fault;
    let nested = "(".repeat(1_000) + "東京";
    assert_eq!(refused(&nested), SyntaxFault::QuotedOnly { found: '(' });
    let found = QUERY_MAX + 1;
    let expected = QUERY_MAX;
    assert_eq!(refused(&"東".repeat(found)), SyntaxFault::QueryTooLong { expected, found });
    assert!(PostalQuery::parse(&"東".repeat(QUERY_MAX)).is_ok());
    let bytes = "東京 ".repeat(100_000 / "東京 ".len());
    assert!(matches!(refused(&bytes), SyntaxFault::QueryTooLong { .. }));
    for operator in [" ", " AND ", " OR "] {
        let terms = |count: usize| vec!["東京"; count].join(operator);
        assert!(PostalQuery::parse(&terms(TERMS_MAX)).is_ok());
        let expected = TERMS_MAX;
        assert_eq!(refused(&terms(TERMS_MAX + 1)), SyntaxFault::TooManyTerms { expected });
    }
    let operators = "東京 AND ".repeat(300);
    assert!(PostalQuery::parse(&operators).is_err());
}

#[test]
fn facet_paths_name_at_most_a_municipality() {
    #[track_caller]
    fn check(text: &str, expected: Result<&str, &str>) {
        let found = FacetPath::parse(text);
        let found = found.map(|path| path.to_string()).map_err(|error| error.to_string());
        match (found, expected) {
            (Ok(found), Ok(expected)) => assert_eq!(found, expected, "{text:?}"),
            (Err(found), Err(expected)) => assert!(found.contains(expected), "{text:?}: {found}"),
            (found, expected) => panic!("{text:?}: {found:?}, expected {expected:?}"),
        }
    }
    check("/", Ok("/"));
    check("/東京都", Ok("/東京都"));
    check("/東京都/", Ok("/東京都"));
    check("/東京都/港区", Ok("/東京都/港区"));
    check("/東京都/港区/", Ok("/東京都/港区"));
    check("", Err("begins with '/'"));
    check("東京都", Err("begins with '/'"));
    check("／東京都", Err("begins with '/'"));
    check("//", Err("level 1"));
    check("///", Err("level 1"));
    check("//港区", Err("level 1"));
    check("/東京都//", Err("level 2"));
    check("/東京都/港区/六本木", Err("at most 2 levels, /prefecture/city; found 3"));
}

/// Fragments near the limits of the rules, to compose queries from.
fn fragment() -> impl Strategy<Value = String> {
    let fixed = [
        " ", "　", "\t", "AND", "OR", "NOT", "-", "\"", "\\\"", "\\", ":", "(", ")", "/", "town:",
        "_type:", "_facet:", "1", "2", "東京", "東", "ab", "ｶﾞ", "\u{0}", "😀",
    ];
    prop_oneof![8 => prop::sample::select(fixed.to_vec()).prop_map(str::to_owned), 1 => ".{0,3}"]
}

proptest! {
    #[test]
    fn any_text_is_parsed_or_an_error(query in prop_oneof![
        ".{0,60}",
        prop::collection::vec(fragment(), 0..24).prop_map(|fragments| fragments.concat()),
    ]) {
        match PostalQuery::parse(&query) {
            Ok(found) => {
                let mut end = 0;
                let is_short = |term: &Term<PostalVocabulary>| match &term.kind {
                    TermKind::Keyword { text, .. } => PostalVocabulary::keyword_length(text) < PostalVocabulary::KEYWORD_MIN,
                    _ => false,
                };
                let is_long = |term: &Term<PostalVocabulary>| {
                    matches!(term.kind, TermKind::Keyword { .. }) && !is_short(term)
                };
                let short = found.terms().any(is_short);
                prop_assert!(!short || found.terms().any(is_long), "a short keyword stands alone");
                for term in found.terms() {
                    prop_assert!(term.span.start >= end, "terms are in order");
                    end = term.span.end;
                    let source = &query[term.span.clone()];
                    prop_assert_eq!(source.starts_with('-'), term.excluded);
                    if is_short(term) {
                        continue;
                    }
                    // The source of a term parses to the same term alone.
                    let alone = PostalQuery::parse(source).expect("it was a term");
                    prop_assert_eq!(&alone.clauses[0].conjunctions[0].terms[0].kind, &term.kind);
                }
                prop_assert!(found.clauses.iter().all(|clause| !clause.conjunctions.is_empty()));
            }
            Err(error) => {
                prop_assert!(query.get(error.span.clone()).is_some(), "a span of characters");
                prop_assert!(error.position <= query.chars().count() + 1);
                prop_assert!(error.to_string().len() < 800);
            }
        }
    }

    #[test]
    fn quoting_makes_any_text_a_keyword(text in ".{2,30}") {
        let quoted = format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""));
        match PostalQuery::parse(&quoted) {
            Ok(found) => {
                let expected = TermKind::Keyword { field: None, text };
                prop_assert_eq!(&found.clauses[0].conjunctions[0].terms[0].kind, &expected);
            }
            Err(error) => {
                let short = matches!(error.fault, SyntaxFault::KeywordTooShort { .. });
                prop_assert!(short, "{}", error);
            }
        }
    }
}
