//! The name order compared with a model that scans every name, and damaged files, which must not cause a panic.

use proptest::prelude::*;
use rkyv::rancor;

use super::*;
use crate::index::renumbering::Renumbering;
use crate::index::standing::Standing;
use crate::snapshot::{OwnMemory, Section};
use crate::text::fold::folded;
use crate::text::kind_words::Side;

/// An order and the names it was built from; hidden rows have no name.
struct StoredOrder {
    names: Vec<Option<String>>,
    directory: Section<ArchivedNameDirectory>,
    blocks: Blocks,
}

fn archived(directory: &NameDirectory) -> Section<ArchivedNameDirectory> {
    let bytes = rkyv::to_bytes::<rancor::Error>(directory).expect("archives");
    Section::validate(OwnMemory::of(bytes)).expect("archived data are valid")
}

/// The municipality of a row's office: one of seven.
fn place_of(row: u32) -> u16 {
    u16::try_from(row % 7).expect("below seven")
}

fn stored(names: Vec<Option<String>>) -> StoredOrder {
    let BuiltOrder { directory, bytes, .. } =
        build(names.len(), |row| names[row as usize].clone(), place_of);
    let directory = archived(&directory);
    assert_eq!(directory.root().check(names.len(), bytes.len()), Ok(()));
    StoredOrder { directory, blocks: Blocks::in_memory(bytes), names }
}

impl StoredOrder {
    fn order(&self) -> NameOrder<'_> {
        NameOrder::new(self.directory.root(), &self.blocks)
    }

    fn found(&self, text: &str) -> NamePlaces {
        self.order().find(text).expect("sound")
    }

    /// Rows whose folded body or whole folded name passes.
    fn model(&self, passes: impl Fn(&str, &str) -> bool) -> Vec<u32> {
        let names = (0..).zip(&self.names).filter_map(|(row, name)| Some((row, name.as_deref()?)));
        let whole = names.map(|(row, name)| (row, folded(name.trim(), Level::Search)));
        whole
            .filter(|(_, whole)| passes(split(whole, Level::Search).0, whole))
            .map(|(row, _)| row)
            .collect()
    }
}

fn sorted(rows: impl Iterator<Item = u32>) -> Vec<u32> {
    let mut rows: Vec<u32> = rows.collect();
    rows.sort_unstable();
    rows
}

/// Compares the result of every lookup of a text with the model's.
fn check(stored: &StoredOrder, text: &str, skip: usize, limit: usize) {
    let found = stored.found(text);
    let rows = |places: &Range<usize>| stored.order().rows(places.clone()).expect("sound");
    let equal: Vec<u32> = rows(&found.equal).collect();
    assert_eq!(equal, stored.model(|body, _| body == text), "bodies equal to {text:?}");
    let beginning = sorted(rows(&found.beginning));
    assert_eq!(
        beginning,
        stored.model(|body, _| body.starts_with(text)),
        "bodies that begin with {text:?}"
    );
    if text.is_empty() {
        return;
    }
    let classes = stored.order().classes(text).expect("sound");
    let equal = stored.model(|body, whole| body == text || whole == text);
    let beginning = stored.model(|body, whole| {
        let begins = body.starts_with(text) || whole.starts_with(text);
        begins && body != text && whole != text
    });
    for (class, expected) in [(classes.equal, equal), (classes.beginning, beginning)] {
        assert_eq!(class.count(), expected.len() as u64, "{text:?}");
        let mut visited = Vec::new();
        class.visit(|row| visited.push(row)).expect("sound");
        assert_eq!(sorted(visited.into_iter()), expected, "{text:?}");
        let paged = |best: Standing, standing: fn(u32) -> Standing| {
            let mut expected = expected.clone();
            expected.sort_by_key(|row| standing(*row).max(best));
            let expected: Vec<u32> = expected.into_iter().skip(skip).take(limit).collect();
            let found = class.rows(skip, limit, best, standing).expect("sound");
            assert_eq!(found, expected, "{text:?} from {skip}, {limit}, {best:?}");
        };
        let has_whole_forms = !class.whole_forms().is_empty();
        for best in [Standing::Employer, Standing::Open] {
            if has_whole_forms && best == Standing::Employer {
                continue;
            }
            paged(best, |_| Standing::Closed);
            paged(best, |row| Standing::ALL[row as usize % 4]);
            paged(best, |row| if row % 3 == 1 { Standing::Open } else { Standing::Closed });
        }
    }
}

fn name() -> impl Strategy<Value = String> {
    let kind =
        prop::sample::select(vec!["", "", "株式会社", "合同会社", "医療法人", "医療法人社団"]);
    let space = prop::sample::select(vec!["", "", "\u{3000}"]);
    let body = prop_oneof![
        "[ひのでヒﾉＡa　]{0,3}",
        "[株式会社𠮷𠀋日]{1,6}",
        prop::sample::select(vec!["ひので", "ひのでや", "株式"]).prop_map(str::to_owned),
    ];
    (kind, space, body, any::<bool>()).prop_map(|(kind, space, body, front)| match front {
        true => [kind, space, &body].concat(),
        false => [&body, space, kind].concat(),
    })
}

proptest! {
    #[test]
    fn finds_what_a_scan_finds(
        names in prop::collection::vec(prop::option::weighted(0.9, name()), 0..60),
        repeated in 0usize..400,
        shapes in 1usize..6,
        asked in prop_oneof![name(), "[株式会社ひので]{1,4}", "株式会社 ?[ひ]?", "[𠮷𠀋日]{1,3}"],
        of in any::<prop::sample::Index>(),
        letters in 0usize..8,
        skip in 0usize..12,
        limit in 0usize..6,
    ) {
        let mut names = names;
        names.extend((0..repeated).map(|row| Some(["ひので", "株式会社ひので", "ひので有限会社", "𠮷日", "𠀋株"][row % shapes].to_owned())));
        let stored = stored(names);
        check(&stored, &folded(&asked, Level::Search), skip, limit);
        if !stored.names.is_empty() {
            let of = stored.names[of.index(stored.names.len())].as_deref().unwrap_or_default();
            let whole = folded(of, Level::Search);
            let begun: String = whole.chars().take(letters).collect();
            check(&stored, &begun, skip, limit);
            check(&stored, &whole, skip, limit);
        }
    }

    #[test]
    fn a_renewed_order_equals_one_built_from_all_names(
        before in prop::collection::vec(prop::option::weighted(0.9, name()), 1..60),
        repeated in 0usize..400,
        changes in prop::collection::vec((any::<prop::sample::Index>(), prop::option::of(name())), 0..20),
        added in prop::collection::vec((any::<prop::sample::Index>(), prop::option::of(name())), 0..20),
    ) {
        let mut before = before;
        before.extend((0..repeated).map(|row| Some(["ひので", "ひのでや", "ひので労働組合"][row % 3].to_owned())));
        let earlier = stored(before.clone());
        let (renumbering, names) = Renumbering::sample(&before, changes, added);
        let added = |row| {
            assert!(renumbering.added().contains(&row), "only names of added rows are read");
            names[row as usize].clone()
        };
        let renewed = renew(earlier.order(), &renumbering, added, place_of).expect("sound");
        let built = build(names.len(), |row| names[row as usize].clone(), place_of);
        prop_assert_eq!(renewed, built);
    }

    #[test]
    fn flipped_bytes_never_panic(at in any::<prop::sample::Index>(), mask in 1u8..) {
        let names = (0..300).map(|row| Some(format!("株式会社台帳{}", row % 40))).collect();
        let sound = stored(names);
        let mut bytes = sound.blocks.get(0..sound.blocks.len()).expect("sound").to_vec();
        let at = at.index(bytes.len());
        bytes[at] ^= mask;
        let damaged = StoredOrder { blocks: Blocks::in_memory(bytes), ..sound };
        let order = damaged.order();
        for text in ["台帳", "台帳7", "株式会社台帳7", "株"] {
            let Ok(classes) = order.classes(text) else { continue };
            for class in [classes.equal, classes.beginning] {
                let _ = class.rows(0, 100, Standing::Open, |_| Standing::Open);
                let _ = class.visit(|_| ());
            }
        }
        let _ = (0..310).map(|row| order.form(row)).collect::<Vec<_>>();
        let rows = Renumbering::new(300, &[7], vec![0]).expect("it describes a table");
        let _ = renew(order, &rows, |_| Some("台帳".to_owned()), place_of);
    }
}

#[test]
fn rows_of_a_rare_form_are_found_among_many() {
    let rare = [0, 63, 64, 130, 299];
    let names = (0..300).map(|row| match rare.contains(&row) {
        true => Some("農事組合法人ひので".to_owned()),
        false => Some(format!("株式会社{row}")),
    });
    let stored = stored(names.collect());
    for (skip, limit) in [(0, 10), (1, 3), (4, 1), (5, 1)] {
        check(&stored, "農事", skip, limit);
        check(&stored, "農事組合法人ひ", skip, limit);
    }
}

#[test]
fn forms_of_rows_are_kept_and_hidden_rows_have_none() {
    let names = ["株式会社台帳", "台帳　合同会社", "台帳"];
    let names = names.map(|name| Some(name.to_owned())).into_iter().chain([None]);
    let stored = stored(names.collect());
    let form = |row| stored.order().form(row).expect("sound");
    assert_eq!(form(0).and_then(Form::word), Some(("株式会社", Side::Before)));
    assert_eq!(form(1).and_then(Form::word), Some(("合同会社", Side::After)));
    assert_eq!(form(1).map(Form::is_spaced), Some(true));
    assert_eq!([form(2), form(3), form(4)], [Some(Form::NONE), None, None]);
    assert_eq!(stored.order().places, 3);
}

#[test]
fn the_order_is_of_bodies_and_then_rows() {
    let names: Vec<String> = (0..1_000).map(|row| format!("台帳{}", row * 7 % 300)).collect();
    let stored = stored(names.iter().cloned().map(Some).collect());
    let mut model: Vec<u32> = (0..1_000).collect();
    model.sort_by_key(|row| (folded(&names[*row as usize], Level::Search), *row));
    let found: Vec<u32> = stored.order().rows(0..1_000).expect("sound").collect();
    assert_eq!(found, model);
}

#[test]
fn an_order_of_another_table_is_not_renewed() {
    let stored = stored(vec![Some("台帳".to_owned()); 3]);
    for rows in [2, 4] {
        let rows = Renumbering::new(rows, &[], Vec::new()).expect("it describes a table");
        assert!(renew(stored.order(), &rows, |_| None, place_of).is_err());
    }
}

#[test]
fn a_directory_that_contradicts_the_order_is_refused() {
    let mut names: Vec<String> = (0..300).map(|row| format!("台帳{row}")).collect();
    names[7] = "農業生産法人株式会社台帳".to_owned();
    let BuiltOrder { directory, bytes, .. } =
        build(300, |row| Some(names[row as usize].clone()), place_of);
    let sound = || NameDirectory {
        rows: directory.rows,
        places: directory.places,
        samples: directory.samples.clone(),
        starts: directory.starts.clone(),
        forms: directory.forms.clone(),
        shortened: directory.shortened.clone(),
    };
    let checked = |directory: &NameDirectory, length| archived(directory).root().check(300, length);
    assert_eq!(checked(&sound(), bytes.len()), Ok(()));
    let last = 300 + directory.starts[2] as usize;
    for length in [0, 299, last - 1, last + 44 * PLACE_BYTES - 1] {
        assert!(checked(&sound(), length).is_err(), "{length}");
    }
    assert_eq!(
        checked(&sound(), last + 44 * PLACE_BYTES),
        Ok(()),
        "bodies are read as far as there are any"
    );
    #[track_caller]
    fn refused(mut directory: NameDirectory, length: usize, damage: fn(&mut NameDirectory)) {
        damage(&mut directory);
        assert!(archived(&directory).root().check(300, length).is_err());
    }
    refused(sound(), bytes.len(), |directory| directory.rows = 299);
    refused(sound(), bytes.len(), |directory| directory.samples[0] = u64::MAX);
    refused(sound(), bytes.len(), |directory| _ = directory.samples.pop());
    refused(sound(), bytes.len(), |directory| _ = directory.starts.pop());
    refused(sound(), bytes.len(), |directory| directory.starts[0] = 1);
    refused(sound(), bytes.len(), |directory| directory.starts[1] = 128 * PLACE_BYTES as u64 - 1);
    refused(sound(), bytes.len(), |directory| directory.starts[2] = u64::MAX);
    refused(sound(), bytes.len(), |directory| directory.places = 301);
    refused(sound(), bytes.len(), |directory| directory.places = 200);
    assert_eq!(directory.shortened.len(), 3);
    refused(sound(), bytes.len(), |directory| directory.shortened.reverse());
    refused(sound(), bytes.len(), |directory| directory.shortened[2].row = 300);
    refused(sound(), bytes.len(), |directory| directory.forms[0] += 1);
    refused(sound(), bytes.len(), |directory| _ = directory.forms.pop());
}
