//! The gram index compared with a scan of the same texts, and damaged copies of the index, which must not cause a
//! panic.

use std::collections::BTreeSet;
use std::convert::Infallible;

use bytes::Bytes;
use proptest::prelude::*;
use rkyv::rancor;

use super::{UNIVERSE_MAX, *};
use crate::index::row_set::RowSet;
use crate::snapshot::blocks::{BLOCK_BYTES, sums};
use crate::snapshot::{Blocks, OwnMemory, Section, SectionTag};

/// Lists in which some grams are common.
fn rule(threshold: u32) -> RowLists {
    RowLists::smallest(threshold, 4 * threshold)
}

/// An index as stored in a snapshot.
struct Opened {
    dictionary: Section<ArchivedDictionary>,
    lists: Blocks,
}

impl Opened {
    fn build(texts: &[Vec<char>], threshold: u32) -> Opened {
        Opened::build_by(texts, rule(threshold))
    }

    fn build_by(texts: &[Vec<char>], rule: RowLists) -> Opened {
        let text = |row: u32, out: &mut Vec<char>| out.extend_from_slice(&texts[row as usize]);
        let (dictionary, lists) =
            build(texts.len() as u32, Listing::Rows(rule), text).expect("few letters and rows");
        let opened = Opened { dictionary: section(archived(&dictionary)), lists: blocks(lists) };
        let checked = opened.dictionary.root().check(texts.len(), opened.lists.len(), |_| true);
        assert_eq!(checked, Ok(()));
        opened
    }

    fn reader(&self) -> Reader<'_> {
        Reader::of(self.dictionary.root(), Lists::Blocks(&self.lists))
    }
}

pub(super) fn archived(dictionary: &Dictionary) -> Vec<u8> {
    rkyv::to_bytes::<rancor::Error>(dictionary).expect("numbers archive").to_vec()
}

fn aligned(bytes: &[u8]) -> OwnMemory {
    let mut aligned = rkyv::util::AlignedVec::<16>::new();
    aligned.extend_from_slice(bytes);
    OwnMemory::of(aligned)
}

pub(super) fn section(bytes: Vec<u8>) -> Section<ArchivedDictionary> {
    Section::validate(aligned(&bytes)).expect("archived data are valid")
}

pub(super) fn blocks(bytes: Vec<u8>) -> Blocks {
    let sums = rkyv::to_bytes::<rancor::Error>(&sums(&bytes)).expect("numbers archive");
    let sums = Section::validate(OwnMemory::of(sums)).expect("archived data are valid");
    Blocks::new(SectionTag::new("t"), Bytes::from(bytes), sums).expect("one checksum per block")
}

fn contains(text: &[char], keyword: &[char]) -> bool {
    match keyword {
        [] => false,
        [_] => text == keyword,
        _ => text.windows(keyword.len()).any(|window| window == keyword),
    }
}

fn expected(texts: &[Vec<char>], keyword: &[char]) -> Vec<u32> {
    (0..).zip(texts).filter(|(_, text)| contains(text, keyword)).map(|(row, _)| row).collect()
}

fn found<'s>(opened: &'s Opened, texts: &[Vec<char>], keyword: &[char]) -> Matches<'s> {
    let found = opened.reader().candidates(keyword).expect("sound blocks");
    let (exact, at_most) = match &found {
        Candidates::Exact(matches) => (true, matches.count()),
        Candidates::Unverified(rows) => (false, rows.len()),
    };
    let matches = found.verified(
        |_| (),
        |row| {
            assert!(!exact, "exact matches are not verified");
            Ok::<_, Infallible>(contains(&texts[row as usize], keyword))
        },
    );
    let Ok(matches) = matches;
    assert!(matches.count() <= at_most && (!exact || matches.count() == at_most));
    matches
}

/// Short texts over few letters, some alike, so that grams repeat and some lists are equal.
fn texts(most: usize) -> impl Strategy<Value = Vec<Vec<char>>> {
    let text = prop_oneof![
        3 => "[山川ヶab]{0,7}",
        2 => "(株式会社)[山川]{1,4}",
        2 => "[山川]{1,3}(株式会社設計事務所)",
        1 => "[山]{0,14}",
        1 => Just(String::new()),
    ];
    prop::collection::vec(text.prop_map(|text| text.chars().collect()), 0..most)
}

fn keyword() -> impl Strategy<Value = Vec<char>> {
    let keyword = prop_oneof![
        "[山川ヶab]{0,4}",
        "[山川株]{0,2}(株式会社|式会社設計|会社|社設計事務所)[山川]{0,3}",
        "[山]{1,12}",
        "(山川|川山|b)[無]",
        Just("山株式会社設計事務所".to_owned()),
    ];
    keyword.prop_map(|keyword| keyword.chars().collect())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn finds_what_a_scan_finds(
        texts in texts(600),
        keywords in prop::collection::vec(keyword(), 1..8),
        threshold in prop_oneof![Just(0u32), 1u32..6, 10u32..200],
    ) {
        let opened = Opened::build(&texts, threshold);
        for keyword in keywords {
            let rows: Vec<u32> = found(&opened, &texts, &keyword).rows().collect();
            prop_assert_eq!(&rows, &expected(&texts, &keyword), "{:?}", keyword);
            // Of every third row, the same ones remain.
            let mut kept: Vec<u32> = (0..texts.len() as u32).step_by(3).collect();
            let unsure = opened.reader().retain(&keyword, &mut kept).expect("sound blocks");
            kept.retain(|row| !unsure || contains(&texts[*row as usize], &keyword));
            let third: Vec<u32> = rows.into_iter().filter(|row| row % 3 == 0).collect();
            prop_assert_eq!(kept, third, "{:?}", keyword);
        }
    }

    #[test]
    fn matches_are_a_set_with_ranks(
        texts in texts(900),
        keyword in keyword(),
        threshold in 0u32..8,
        bounds in prop::collection::btree_set(0u32..1_000, 0..40),
        other in prop::collection::btree_set(0u32..900, 0..300),
        from in 0usize..700,
    ) {
        let opened = Opened::build(&texts, threshold);
        let matches = found(&opened, &texts, &keyword);
        let expected = expected(&texts, &keyword);
        let set: BTreeSet<u32> = expected.iter().copied().collect();
        let rank = |row: u32| expected.partition_point(|known| *known < row);
        prop_assert_eq!(matches.count(), expected.len());
        prop_assert_eq!(matches.is_empty(), expected.is_empty());
        prop_assert!(bounds.iter().all(|row| matches.rank(*row) == rank(*row)));
        let ranks: Vec<usize> = matches.ranks(bounds.iter().copied()).collect();
        prop_assert_eq!(ranks, bounds.iter().map(|row| rank(*row)).collect::<Vec<_>>());
        let rest: Vec<u32> = matches.rows_from(from).collect();
        prop_assert_eq!(&rest, &expected[from.min(expected.len())..]);
        let mut pieces = Vec::new();
        matches.for_each_batch(|rows| pieces.extend_from_slice(rows));
        prop_assert_eq!(&pieces, &expected);

        let other: BTreeSet<u32> = other;
        let both: Vec<u32> = expected.iter().filter(|row| other.contains(row)).copied().collect();
        let mut retained: Vec<u32> = other.iter().copied().collect();
        matches.retain(0, &mut retained);
        prop_assert_eq!(&retained, &both);
        let mut rows = RowSet::empty(texts.len());
        other.iter().for_each(|row| rows.insert(*row as usize));
        let before: BTreeSet<usize> =
            other.iter().map(|row| *row as usize).filter(|row| *row < texts.len()).collect();
        matches.add_to(&mut rows);
        let mut added = BTreeSet::new();
        rows.for_each(|row| _ = added.insert(row));
        prop_assert_eq!(added, &before | &set.iter().map(|row| *row as usize).collect());
    }

    #[test]
    fn a_damaged_dictionary_is_refused_or_read_without_panic(
        texts in texts(200),
        threshold in 0u32..4,
        damage in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..4),
        keywords in prop::collection::vec(keyword(), 1..8),
    ) {
        let text = |row: u32, out: &mut Vec<char>| out.extend_from_slice(&texts[row as usize]);
        let built = build(texts.len() as u32, Listing::Rows(rule(threshold)), text).expect("few letters and rows");
        let mut bytes = archived(&built.0);
        for (at, value) in damage {
            let at = at.index(bytes.len());
            bytes[at] = value;
        }
        let Ok(dictionary) = Section::<ArchivedDictionary>::validate(aligned(&bytes)) else {
            return Ok(());
        };
        let lists = blocks(built.1);
        if dictionary.root().check(texts.len(), lists.len(), |_| true).is_ok() {
            read(&Reader::of(dictionary.root(), Lists::Blocks(&lists)), texts.len(), &keywords);
        }
    }

    #[test]
    fn damaged_lists_never_panic(
        texts in texts(400),
        threshold in 0u32..4,
        damage in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..6),
        cut in any::<prop::sample::Index>(),
        keywords in prop::collection::vec(keyword(), 1..8),
    ) {
        // The checksums are computed from the damaged bytes, so they do not detect the damage.
        let text = |row: u32, out: &mut Vec<char>| out.extend_from_slice(&texts[row as usize]);
        let built = build(texts.len() as u32, Listing::Rows(rule(threshold)), text).expect("few letters and rows");
        let (dictionary, mut lists) = (section(archived(&built.0)), built.1);
        for (at, value) in damage {
            let at = at.index(lists.len());
            lists[at] = value;
        }
        lists.truncate(cut.index(lists.len() * 3) + 1);
        let lists = blocks(lists);
        read(&Reader::of(dictionary.root(), Lists::Blocks(&lists)), texts.len(), &keywords);
    }
}

/// Calls every read function; only a panic fails the test.
fn read(reader: &Reader<'_>, rows: usize, keywords: &[Vec<char>]) {
    for keyword in keywords {
        let Ok(found) = reader.candidates(keyword) else { continue };
        let Ok(matches) = found.verified(|_| (), |_| Ok::<_, Infallible>(true));
        assert!(matches.rows().count() <= matches.count().max(rows));
        matches.ranks((0..rows as u32).step_by(7)).for_each(drop);
        matches.rows_from(rows / 3).for_each(drop);
        matches.retain(0, &mut (0..rows as u32).collect());
        matches.add_to(&mut RowSet::empty(rows));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn positions_are_those_of_a_scan(
        texts in texts(300),
        keywords in prop::collection::vec(keyword(), 1..8),
        edge in prop_oneof![Just(Edge::None), Just(Edge::First), Just(Edge::Last)],
        threshold in prop_oneof![0u32..6, 10u32..200, Just(u32::MAX)],
    ) {
        let text = |row: u32, out: &mut Vec<char>| out.extend_from_slice(&texts[row as usize]);
        let (dictionary, lists) =
            build(texts.len() as u32, Listing::Positions { edge, threshold }, text).expect("few letters");
        let dictionary = section(archived(&dictionary));
        let numbers = texts.iter().map(|text| text.len() + 1).sum();
        prop_assert_eq!(dictionary.root().check(numbers, lists.len(), |_| true), Ok(()));
        let reader = Reader::of(dictionary.root(), Lists::Bytes(&lists));
        for keyword in keywords {
            let (mut expected, mut start) = (Vec::new(), 0);
            for text in &texts {
                let places = (0..text.len()).filter(|at| text[*at..].starts_with(&keyword));
                let known = places.filter(|at| match (keyword.len(), edge) {
                    (0, _) | (1, Edge::None) => false,
                    (1, Edge::First) => *at == 0,
                    (1, Edge::Last) => at + 1 == text.len(),
                    _ => true,
                });
                expected.extend(known.map(|at| (start + at) as u32));
                start += text.len() + 1;
            }
            let mut found = vec![9];
            reader.positions(&keyword, &mut found).expect("sound bytes");
            prop_assert_eq!(found, expected, "{:?}", keyword);
        }
    }
}

#[test]
fn a_damaged_block_of_lists_fails_only_its_keywords() {
    let texts: Vec<Vec<char>> = (0..60_000u32)
        .map(|row| {
            let letter = |at: u32| char::from_u32(0x4e00 + row / at % 61).expect("a character");
            vec![letter(1), letter(61), letter(7), letter(3)]
        })
        .collect();
    let text = |row: u32, out: &mut Vec<char>| out.extend_from_slice(&texts[row as usize]);
    let (dictionary, mut lists) =
        build(texts.len() as u32, Listing::Rows(RowLists::smallest(50, 400)), text)
            .expect("few letters");
    assert!(lists.len() > 3 * BLOCK_BYTES, "{} bytes are several blocks", lists.len());
    let sums = rkyv::to_bytes::<rancor::Error>(&sums(&lists)).expect("numbers archive");
    let sums = Section::validate(OwnMemory::of(sums)).expect("archived data are valid");
    lists[BLOCK_BYTES + 9] ^= 1;
    let lists =
        Blocks::new(SectionTag::new("t"), Bytes::from(lists), sums).expect("as many checksums");
    let dictionary = section(archived(&dictionary));
    let reader = Reader::of(dictionary.root(), Lists::Blocks(&lists));
    let keywords = texts.iter().take(4_000).map(|text| &text[..2]);
    let (sound, damaged): (Vec<_>, Vec<_>) =
        keywords.map(|keyword| reader.candidates(keyword)).partition(Result::is_ok);
    assert!(!sound.is_empty() && !damaged.is_empty(), "{} and {}", sound.len(), damaged.len());
}

#[test]
fn small_and_unusual_tables_are_searched() {
    let chars = |text: &str| text.chars().collect::<Vec<char>>();
    let cases: [(&[&str], &str, &[u32]); 12] = [
        (&[], "山川", &[]),
        (&[""], "山川", &[]),
        (&["山川"], "山川", &[0]),
        (&["山川"], "山川山", &[]),
        (&["山川"], "山", &[]),
        (&["山", "山川", "山"], "山", &[0, 2]),
        (&["山", "山川", "川"], "", &[]),
        (&["山川", "海", "川山"], "海川", &[]),
        (&["一二三四五六七八九十", "二三四五六七八九十一"], "二三四五六七八九十", &[0, 1]),
        (&["一二三四五六七八九十", "二三四五六七八九十一"], "一二三四五六七八九十", &[0]),
        (&["一二三四五六七八九十", "二三四五六七八九十一"], "一二三四五六七八九十百", &[]),
        (&["山山山山", "山山", "山"], "山山山", &[0]),
    ];
    for (texts, keyword, rows) in cases {
        let texts: Vec<Vec<char>> = texts.iter().map(|text| chars(text)).collect();
        for threshold in [0, 1, 5] {
            let opened = Opened::build(&texts, threshold);
            let found: Vec<u32> = found(&opened, &texts, &chars(keyword)).rows().collect();
            assert_eq!(found, rows, "{keyword:?} in {texts:?}, {threshold}");
        }
    }
}

#[test]
fn every_kind_of_list_is_built() {
    let text = |row: u32| match row % 100 {
        0 => "珍品海山",
        1..30 => "株式会社山",
        _ => "有限会社川",
    };
    let texts: Vec<Vec<char>> = (0..20_000).map(|row| text(row).chars().collect()).collect();
    let opened = Opened::build(&texts, 300);
    let dictionary = opened.dictionary.root();
    let letter = |character| dictionary.letter(character).expect("a letter of the texts");
    let bigram = dictionary.bigram(letter('有'), letter('限')).expect("every bigram is listed");
    let longer = dictionary.child(bigram, letter('会')).expect("listed: most rows have it");
    assert_eq!(dictionary.list(longer), dictionary.list(bigram), "the same rows share a list");
    for (keyword, exact) in [
        ("有限会社", true),
        ("会社", true),
        ("株式会社山", true),
        ("珍品", true),
        ("珍品海", false),
        ("会社山川", true),
    ] {
        let keyword: Vec<char> = keyword.chars().collect();
        let found = opened.reader().candidates(&keyword).expect("sound blocks");
        assert_eq!(matches!(found, Candidates::Exact(_)), exact, "{keyword:?}");
        let rows: Vec<u32> = self::found(&opened, &texts, &keyword).rows().collect();
        assert_eq!(rows, expected(&texts, &keyword), "{keyword:?}");
    }
}

#[test]
fn a_rare_gram_is_listed_if_its_inner_grams_are_frequent_and_one_is_common() {
    // How many texts are 山川, 川海 and 山川海, whether 山川海 is listed, with more than 3 rows as frequent and more than 6 as
    // common.
    let cases = [
        ([9, 4, 1], true),
        ([4, 9, 1], true),
        ([5, 5, 1], false),
        ([90, 2, 1], false),
        ([2, 90, 1], false),
        ([0, 0, 4], true),
    ];
    let rule = RowLists::smallest(3, 6);
    for (copies, is_listed) in cases {
        let words = ["山川", "川海", "山川海"].into_iter().zip(copies);
        let texts = words.flat_map(|(word, copies)| vec![word.chars().collect(); copies]);
        let texts: Vec<Vec<char>> = texts.collect();
        let opened = Opened::build_by(&texts, rule);
        let keyword: Vec<char> = "山川海".chars().collect();
        let candidates = opened.reader().candidates(&keyword).expect("sound blocks");
        assert_eq!(matches!(candidates, Candidates::Exact(_)), is_listed, "{copies:?}");
        let rows: Vec<u32> = found(&opened, &texts, &keyword).rows().collect();
        assert_eq!(rows, expected(&texts, &keyword), "{copies:?}");
    }
}

#[test]
fn oversized_texts_are_refused() {
    let listing = Listing::Rows(RowLists::smallest(10, 80));
    let too_many = build(UNIVERSE_MAX + 1, listing, |_, _| {}).map(drop);
    assert_eq!(too_many, Err(BuildFault::Rows { found: UNIVERSE_MAX + 1 }));
    let every = |row: u32, out: &mut Vec<char>| {
        out.extend(char::from_u32(row));
    };
    assert_eq!(build(70_000, listing, every).map(drop), Err(BuildFault::Alphabet));
}

#[test]
fn the_same_texts_give_the_same_bytes_and_another_table_is_refused() {
    let texts: Vec<Vec<char>> =
        (0..500u32).map(|row| format!("{}番{row}号", row % 17).chars().collect()).collect();
    let text = |row: u32, out: &mut Vec<char>| out.extend_from_slice(&texts[row as usize]);
    let made = || {
        build(500, Listing::Rows(RowLists::smallest(3, 24)), text)
            .map(|(dictionary, lists)| (archived(&dictionary), lists))
    };
    let (dictionary, lists) = made().expect("few letters");
    assert_eq!(made(), Ok((dictionary.clone(), lists.clone())));
    let section = section(dictionary);
    let check = |rows, bytes| section.root().check(rows, bytes, |it| it != '番');
    assert!(check(500, lists.len()).is_err(), "a character that is not folded");
    let check = |rows, bytes| section.root().check(rows, bytes, |_| true);
    assert_eq!(check(500, lists.len()), Ok(()));
    assert!(check(499, lists.len()).is_err(), "another table");
    assert!(check(500, lists.len() / 2).is_err(), "other lists");
}
