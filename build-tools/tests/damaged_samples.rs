//! Sample files with random damage: every line becomes a row, part of a row, or a reject, or the whole file is refused
//! with an error. No reader panics or loses a line.

use build_tools::included::{EDITIONS, SampleFile};
use build_tools::postal::{
    Update, read_addressing, read_area, read_business, read_roman, read_towns, read_update,
};
use build_tools::{Batch, Source, SourceError};
use proptest::prelude::*;

/// One piece of damage; positions are taken modulo the length.
#[derive(Debug, Clone)]
enum Damage {
    Flip { at: usize, mask: u8 },
    Cut { at: usize },
    Insert { at: usize, bytes: Vec<u8> },
    Remove { at: usize, length: usize },
    Repeat { at: usize, length: usize },
}

fn damage() -> impl Strategy<Value = Damage> {
    prop_oneof![
        (any::<usize>(), 1..=255u8).prop_map(|(at, mask)| Damage::Flip { at, mask }),
        any::<usize>().prop_map(|at| Damage::Cut { at }),
        (any::<usize>(), prop::collection::vec(any::<u8>(), 1..20))
            .prop_map(|(at, bytes)| Damage::Insert { at, bytes }),
        (any::<usize>(), prop::sample::select(vec!["\"", ",", "\r\n", "（", "）", "\0"]))
            .prop_map(|(at, text)| Damage::Insert { at, bytes: text.as_bytes().to_vec() }),
        (any::<usize>(), 1..200usize).prop_map(|(at, length)| Damage::Remove { at, length }),
        (any::<usize>(), 1..200usize).prop_map(|(at, length)| Damage::Repeat { at, length }),
    ]
}

fn apply(bytes: &mut Vec<u8>, damage: &Damage) {
    if bytes.is_empty() {
        return;
    }
    let length = bytes.len();
    match *damage {
        Damage::Flip { at, mask } => bytes[at % length] ^= mask,
        Damage::Cut { at } => bytes.truncate(at % length),
        Damage::Insert { at, bytes: ref new } => {
            let at = at % length;
            bytes.splice(at..at, new.iter().copied());
        }
        Damage::Remove { at, length: count } => {
            let at = at % length;
            bytes.drain(at..(at + count).min(length));
        }
        Damage::Repeat { at, length: count } => {
            let at = at % length;
            let piece = bytes[at..(at + count).min(length)].to_vec();
            bytes.splice(at..at, piece);
        }
    }
}

/// Every file of the last edition, and the Shift_JIS file with split lines.
fn files() -> Vec<SampleFile> {
    let last = EDITIONS[2];
    let mut files = vec![EDITIONS[0].area, last.area, last.business];
    files.extend(last.roman);
    files.extend(last.addressing);
    files.extend(last.towns);
    files.extend(last.updates);
    files
}

/// Checks what a reader returned; `counts` checks how many rows and rejects there are.
fn check<T>(
    result: Result<Batch<T>, SourceError>,
    counts: impl Fn(&Batch<T>) -> bool,
) -> Result<(), TestCaseError> {
    match result {
        Ok(batch) => check_batch(&batch, counts),
        Err(error) => check_error(&error),
    }
}

fn check_update(result: Result<Update, SourceError>) -> Result<(), TestCaseError> {
    match result {
        Ok(Update::AreaAdded(batch) | Update::AreaRemoved(batch)) => check_batch(&batch, at_most),
        Ok(Update::BusinessAdded(batch) | Update::BusinessRemoved(batch)) => {
            check_batch(&batch, every_line)
        }
        Ok(Update::Empty) => Err(TestCaseError::fail("the name shows which update it is")),
        Err(error) => check_error(&error),
    }
}

fn check_batch<T>(
    batch: &Batch<T>,
    counts: impl Fn(&Batch<T>) -> bool,
) -> Result<(), TestCaseError> {
    let (rows, rejects) = (batch.rows.len(), batch.rejects.len());
    prop_assert!(counts(batch), "{rows} rows, {rejects} rejects, {} lines", batch.lines);
    for reject in &batch.rejects {
        prop_assert!(reject.line >= 1 && reject.line <= batch.lines);
        prop_assert!(!reject.to_string().contains('\n'));
    }
    prop_assert!(batch.rejects.windows(2).all(|pair| pair[0].line <= pair[1].line));
    Ok(())
}

fn check_error(error: &SourceError) -> Result<(), TestCaseError> {
    let message = error.to_string();
    prop_assert!(message.contains("; ") && !message.contains('\n'), "no remedy: {}", message);
    Ok(())
}

/// Each line gives exactly one row or one reject.
fn every_line<T>(batch: &Batch<T>) -> bool {
    (batch.rows.len() + batch.rejects.len()) as u64 == batch.lines
}

/// The same, but the first line is the header.
fn every_line_after_the_header<T>(batch: &Batch<T>) -> bool {
    (batch.rows.len() + batch.rejects.len()) as u64 + 1 == batch.lines
}

/// Lines may be joined, so there are at most as many rows and rejects.
fn at_most<T>(batch: &Batch<T>) -> bool {
    (batch.rows.len() + batch.rejects.len()) as u64 <= batch.lines
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 4096, failure_persistence: None, ..Default::default() })]

    #[test]
    fn damage_gives_rows_and_rejects_or_an_error(
        file in prop::sample::select(files()),
        damages in prop::collection::vec(damage(), 1..4),
    ) {
        let mut bytes = file.bytes.to_vec();
        for damage in &damages {
            apply(&mut bytes, damage);
        }
        let source = Source::from_bytes(file.name, bytes);
        let quiet = &mut |_, _| {};
        match file.name.rsplit('/').next().expect("a name") {
            "KEN_ALL.CSV" | "utf_ken_all.csv" => check(read_area(source, quiet), at_most)?,
            "JIGYOSYO.CSV" => check(read_business(source, quiet), every_line)?,
            "KEN_ALL_ROME.CSV" => check(read_roman(source, quiet), every_line)?,
            "mt_town_all.csv" => check(read_addressing(source, quiet), at_most)?,
            "towns.csv" => check(read_towns(source, quiet), every_line_after_the_header)?,
            _ => check_update(read_update(source, quiet))?,
        }
    }
}
