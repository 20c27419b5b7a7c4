//! The index of name beginnings compared with a scan of the same names, and damaged copies of the index, which must
//! not cause a panic.

use proptest::prelude::*;
use rkyv::rancor;

use super::*;
use crate::snapshot::{OwnMemory, Section};
use crate::text::spellings::Spellings;

fn archived(index: &Beginnings) -> Section<ArchivedBeginnings> {
    let bytes = rkyv::to_bytes::<rancor::Error>(index).expect("numbers archive");
    Section::validate(OwnMemory::of(bytes)).expect("archived data are valid")
}

fn letters(name: &str) -> Vec<Letter> {
    name.encode_utf16().collect()
}

fn typed(text: &str) -> Spellings {
    Spellings::from_letters(letters(text).into_iter().map(|letter| (letter, None))).expect("short")
}

/// Names over few letters, so that beginnings repeat, each with a weight.
fn names() -> impl Strategy<Value = Vec<(String, u8)>> {
    prop::collection::vec(("[山川町]{1,5}", 0u8..4), 0..150)
}

fn items(names: &[(String, u8)]) -> Vec<NamedItem> {
    let item = |(item, (name, weight)): (u32, &(String, u8))| NamedItem {
        letters: letters(name),
        weight: *weight,
        item,
    };
    (0..).zip(names).map(item).collect()
}

/// The items whose names begin with a text, found as suggestions do: the names of runs on the path are compared one
/// by one.
fn find(index: &ArchivedBeginnings, names: &[(String, u8)], text: &str) -> (Vec<u32>, Vec<u32>) {
    let reader = BeginningsReader::new(index).expect("sound");
    let (mut on_the_way, mut below) = (Vec::new(), Vec::new());
    reader.walk(&typed(text), |reached| match reached {
        Match::Subtree(subtree) => below.push(subtree),
        Match::Run { run, .. } => on_the_way.extend(reader.items(run)),
    });
    on_the_way.retain(|item| names[*item as usize].0.starts_with(text));
    let weight = |item: u32| names[item as usize].1;
    let below = reader.items_below(below.into_iter(), weight).collect();
    (on_the_way, below)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn finds_what_a_scan_finds(names in names(), text in "[山川町]{1,4}", whole in any::<bool>()) {
        let index = archived(&Beginnings::build(items(&names), whole).expect("few letters"));
        prop_assert_eq!(index.root().check(names.len()), Ok(()));
        let (on_the_way, below) = find(index.root(), &names, &text);
        let order = |item: &u32| (std::cmp::Reverse(names[*item as usize].1), *item);
        prop_assert!(below.is_sorted_by_key(order), "the heaviest first: {:?}", below);
        let mut found = [on_the_way, below].concat();
        found.sort_unstable();
        found.dedup();
        let all = 0..names.len() as u32;
        let expected: Vec<u32> = all.filter(|it| names[*it as usize].0.starts_with(&text)).collect();
        prop_assert_eq!(found, expected);
    }

    #[test]
    fn the_same_names_give_the_same_bytes(names in names()) {
        let bytes = || {
            let index = Beginnings::build(items(&names), false).expect("few letters");
            rkyv::to_bytes::<rancor::Error>(&index).expect("numbers archive").to_vec()
        };
        prop_assert_eq!(bytes(), bytes());
    }

    #[test]
    fn a_damaged_index_is_refused_or_read_without_panic(
        names in names(),
        damage in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..4),
    ) {
        let index = Beginnings::build(items(&names), false).expect("few letters");
        let mut bytes = rkyv::to_bytes::<rancor::Error>(&index).expect("numbers archive");
        for (at, value) in damage {
            let at = at.index(bytes.len());
            bytes[at] = value;
        }
        let Ok(section) = Section::<ArchivedBeginnings>::validate(OwnMemory::of(bytes)) else {
            return Ok(());
        };
        if section.root().check(names.len()).is_ok() {
            for text in ["山", "川町", "町町町町", "市"] {
                find(section.root(), &names, text);
            }
        }
    }
}

#[test]
fn names_with_one_typing_error_are_reached() {
    let names =
        ["山川町", "山町川", "川町", "町川山山", "山川川町"].map(|name| (name.to_owned(), 1));
    let index = archived(&Beginnings::build(items(&names), true).expect("few letters"));
    let reader = BeginningsReader::new(index.root()).expect("sound");
    #[track_caller]
    fn check(reader: &BeginningsReader<'_>, text: &str, expected: &[u32]) {
        let mut below = Vec::new();
        reader.walk_near(&typed(text), |reached| {
            if let NearMatch::Subtree(subtree) = reached {
                below.push(subtree);
            }
        });
        let mut found: Vec<u32> = reader.items_below(below.into_iter(), |_| 1).collect();
        found.sort_unstable();
        found.dedup();
        assert_eq!(found, expected, "{text}");
    }
    check(&reader, "川山町", &[0, 1, 2]);
    check(&reader, "町川山", &[3]);
    check(&reader, "山川川川", &[4]);
    check(&reader, "川川川川", &[]);
}

#[test]
fn a_contradictory_index_is_refused() {
    let names = ["山川", "山町", "川"].map(|name| (name.to_owned(), 1));
    let build = || Beginnings::build(items(&names), false).expect("few letters");
    assert_eq!(archived(&build()).root().check(3), Ok(()));
    assert_eq!(archived(&build()).root().check(2), Err("runs of items"));
    #[track_caller]
    fn check(mut index: Beginnings, expected: &'static str, damage: impl Fn(&mut Beginnings)) {
        damage(&mut index);
        assert_eq!(archived(&index).root().check(3), Err(expected));
    }
    check(build(), "a rank for every letter", |index| index.ranks.truncate(1));
    check(build(), "a rank for every letter", |index| index.letters.reverse());
    check(build(), "runs of items", |index| index.runs.truncate(4));
    check(build(), "a run for every beginning", |index| index.runs.truncate(0));
    check(build(), "an fst", |index| index.fst[20] ^= 1);
    check(build(), "an fst", |index| index.fst.truncate(9));
    let large = NamedItem { letters: letters("山"), weight: 0, item: LAST };
    assert_eq!(Beginnings::build(vec![large], false).map(|_| ()), Err(BuildError::Item(LAST)));
}
