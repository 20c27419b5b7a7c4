//! Updating yesterday's index must give the same bytes as building the index from today's texts. Damaged lists must
//! not cause a panic.

use proptest::prelude::*;
use proptest::sample::Index;

use crate::index::grams::tests::{archived, blocks, section};
use crate::index::grams::{BuildFault, Listing, Lists, Reader, RenewFault, RowLists, build, renew};
use crate::index::renumbering::Renumbering;

type Text = Vec<char>;

/// An index as bytes: its dictionary and its lists.
type Bytes = (Vec<u8>, Vec<u8>);

/// Lists of which some are bitmaps that are larger than a packed list.
fn rule(threshold: u32) -> RowLists {
    RowLists { threshold, common: 3 * threshold, bitmap_factor: 3 }
}

fn built(texts: &[Text], threshold: u32) -> Bytes {
    let text = |row: u32, out: &mut Text| out.extend_from_slice(&texts[row as usize]);
    let listing = Listing::Rows(rule(threshold));
    let made = build(texts.len() as u32, listing, text).expect("few characters and rows");
    (archived(&made.0), made.1)
}

/// The texts of two days, and how the rows were renumbered between them.
struct Day {
    before: Vec<Text>,
    now: Vec<Text>,
    renumbering: Renumbering,
}

impl Day {
    /// `rows` says for each row whether it is removed and which texts are inserted before it; `after` are the texts
    /// inserted after the last row.
    fn of(before: Vec<Text>, rows: Vec<(bool, Vec<Text>)>, after: Vec<Text>) -> Day {
        let (mut now, mut removed, mut added) = (Vec::new(), Vec::new(), Vec::new());
        for (row, (goes, new)) in rows.into_iter().enumerate() {
            for text in new {
                added.push(now.len() as u32);
                now.push(text);
            }
            match goes {
                true => removed.push(row as u32),
                false => now.push(before[row].clone()),
            }
        }
        for text in after {
            added.push(now.len() as u32);
            now.push(text);
        }
        let renumbering = Renumbering::new(before.len() as u32, &removed, added).expect("a table");
        Day { before, now, renumbering }
    }

    fn renewed(&self, (dictionary, lists): Bytes, threshold: u32) -> Result<Bytes, RenewFault> {
        let (dictionary, lists) = (section(dictionary), blocks(lists));
        let previous = Reader::of(dictionary.root(), Lists::Blocks(&lists));
        let text = |row: u32, out: &mut Text| out.extend_from_slice(&self.now[row as usize]);
        let removed = |row: u32, out: &mut Text| {
            out.extend_from_slice(&self.before[row as usize]);
            Ok(())
        };
        let made = renew(previous, &self.renumbering, rule(threshold), text, removed)?;
        Ok((archived(&made.0), made.1))
    }
}

/// Texts from a small alphabet, some with a common word, so that grams exceed every threshold and share lists.
fn text() -> impl Strategy<Value = Text> {
    let text = prop_oneof![
        6 => "[山川ヶ]{0,6}",
        2 => "[山川]{0,2}(株式会社)[山川]{0,3}",
        2 => "[山]{1,9}",
        1 => "[a-z]{1,3}",
        1 => "[1-3]{1,2}(丁目)[1-3]{1,2}(番)[1-3]{1,12}",
    ];
    text.prop_map(|text| text.chars().collect())
}

/// Rows with many duplicates.
fn texts(most: usize) -> impl Strategy<Value = Vec<Text>> {
    let copies = (text(), prop_oneof![4 => 1usize..4, 1 => 1usize..80]);
    let rows = prop::collection::vec(copies, 0..most / 3);
    rows.prop_map(|rows| rows.into_iter().flat_map(|(text, copies)| vec![text; copies]).collect())
        .prop_shuffle()
}

/// Changes at positions of the table: whether the row there is removed, and the texts inserted before it.
fn changes() -> impl Strategy<Value = Vec<(Index, bool, Vec<Text>)>> {
    let new = prop_oneof![
        2 => Just(Vec::new()),
        3 => prop::collection::vec(text(), 1..3),
        1 => (text(), 1usize..12).prop_map(|(text, copies)| vec![text; copies]),
    ];
    prop::collection::vec((any::<Index>(), any::<bool>(), new), 0..24)
}

fn change(before: Vec<Text>, changes: Vec<(Index, bool, Vec<Text>)>) -> Day {
    let mut rows = vec![(false, Vec::new()); before.len()];
    let mut after = Vec::new();
    for (at, goes, new) in changes {
        match rows.get_mut(at.index(before.len() + 1)) {
            Some(row) => {
                row.0 |= goes;
                row.1.extend(new);
            }
            None => after.extend(new),
        }
    }
    Day::of(before, rows, after)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    #[test]
    fn an_updated_index_equals_one_built_from_all_texts(
        texts in texts(160),
        days in prop::collection::vec(changes(), 1..4),
        threshold in prop_oneof![Just(0u32), 1u32..7, 20u32..60],
    ) {
        let mut texts = texts;
        let mut index = built(&texts, threshold);
        for changes in days {
            let day = change(texts, changes);
            index = day.renewed(index, threshold).expect("the index fits its texts");
            prop_assert!(index == built(&day.now, threshold), "{} rows", day.now.len());
            texts = day.now;
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    #[test]
    fn damaged_lists_never_panic(
        texts in texts(240),
        changes in changes(),
        threshold in 0u32..7,
        damage in prop::collection::vec((any::<Index>(), any::<u8>()), 1..6),
    ) {
        // The checksums are computed from the damaged bytes, so they do not detect the damage.
        let (dictionary, mut lists) = built(&texts, threshold);
        for (at, value) in damage {
            let at = at.index(lists.len());
            lists[at] = value;
        }
        // A fault or any result is fine; only a panic fails the test.
        drop(change(texts, changes).renewed((dictionary, lists), threshold));
    }
}

#[test]
fn an_index_of_other_texts_is_refused() {
    let texts = |texts: &[&str]| texts.iter().map(|text| text.chars().collect()).collect();
    let before: Vec<Text> = texts(&["山川", "川", "株式会社山川", "川山"]);
    let day = || Day::of(before.clone(), vec![(true, Vec::new()); 4], texts(&["山川山"]));
    let known = built(&before, 1);
    assert!(day().renewed(known.clone(), 1).is_ok());
    let cases: [(Vec<Text>, u32, &str); 5] = [
        (before.clone(), 2, "listed as now"),
        (texts(&["山川", "川", "株式会社山川"]), 1, "as many rows"),
        (texts(&["山川", "川", "株式会社山", "川山"]), 1, "every gram"),
        (texts(&["山川", "山川", "株式会社山川", "川山"]), 1, "every gram"),
        (texts(&["山川", "川", "株式会社山川", "海山"]), 1, "every gram"),
    ];
    for (other, threshold, expected) in cases {
        let fault = day().renewed(built(&other, threshold), 1).map(drop);
        let fault = fault.expect_err(expected).to_string();
        assert!(fault.contains(expected), "{fault}");
    }
}

#[test]
fn too_many_characters_are_refused() {
    let all =
        |from: u32| (from..).filter_map(char::from_u32).map(|it| vec![it]).take(40_000).collect();
    let before: Vec<Text> = all(0x100);
    let rows = vec![(false, Vec::new()); before.len()];
    let index = built(&before, 9);
    let fault = Day::of(before, rows, all(0x20_000)).renewed(index, 9).map(drop);
    assert!(matches!(fault, Err(RenewFault::Build(BuildFault::Alphabet))), "{fault:?}");
}
