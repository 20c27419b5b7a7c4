//! No text makes the normaliser panic, the spans always cover the text, and a typo in a town never
//! turns it into another town.

use std::collections::BTreeSet;

use daicho::address::{Address, AddressScratch, Component};
use proptest::prelude::*;

use crate::case::assert_spans_cover;
use crate::month::{Month, month};
use crate::writing::{Seeded, canonical};

fn normalize(month: &Month, text: &str, scratch: &mut AddressScratch, address: &mut Address) {
    month.data.normalize(text, scratch, address).expect("sound");
    assert_spans_cover(text, address);
    let mut rows = Vec::new();
    month.data.address_rows(address, scratch, &mut rows).expect("sound");
    for row in &rows {
        assert!((*row as usize) < month.rows.len(), "a row past the end for {text:?}");
    }
    let once: BTreeSet<u32> = rows.iter().copied().collect();
    assert_eq!(once.len(), rows.len(), "a row twice for {text:?}");
}

/// Characters that occur in addresses and in damaged addresses.
const ALPHABET: &str = "0123456789０１２３一二三十百千万〇-－ー−‐～~の之ノヶケが丁目番地号室階FＦBＢ東西南北\
    条通上る下る入ル大字甲乙イロ町村市区郡県都府道第割線 \u{3000}\n\t\r\u{0}\u{7f}\u{200b}\u{200d}\u{feff}\
    \u{3099}\u{309a}\u{fe00}\u{e0100}\u{301}ﾞﾟｶﾞ（）()「」、。・,〒🏠👨‍👩‍👧葛𠮷﨑㈱Ⅲ①㍿";

fn characters(text: &str) -> Vec<char> {
    text.chars().collect()
}

/// A real address with random damage: cut, doubled, swapped or with inserted characters.
fn damaged(month: &Month, random: &mut Seeded) -> String {
    let row = &month.rows[random.below(month.rows.len())];
    let lot = row.business.map_or("１丁目２番３号", |business| business.block_lot);
    let parts = [
        row.city.prefecture,
        row.city.full,
        row.street,
        row.town,
        row.koaza,
        lot,
        row.building,
        row.floor,
    ];
    let mut text = characters(&parts.concat());
    let alphabet = characters(ALPHABET);
    for _ in 0..1 + random.below(6) {
        let index = random.below(text.len());
        match random.below(5) {
            0 if !text.is_empty() => drop(text.remove(index)),
            1 => text.insert(index, alphabet[random.below(alphabet.len())]),
            2 if text.len() > 1 => {
                let other = random.below(text.len());
                text.swap(index, other);
            }
            3 => text.truncate(random.below(text.len() + 1)),
            _ => {
                let part: Vec<char> = text[index.min(text.len())..].to_vec();
                text.extend(part);
            }
        }
    }
    text.into_iter().collect()
}

#[needs::official_data]
#[test]
fn damaged_addresses_are_normalised() {
    let month = month();
    let mut random = Seeded::with(11);
    let (mut scratch, mut address) = (AddressScratch::default(), Address::default());
    for _ in 0..60_000 {
        let text = damaged(month, &mut random);
        normalize(month, &text, &mut scratch, &mut address);
    }
}

#[needs::official_data]
#[test]
fn odd_and_very_long_texts_are_normalised() {
    let month = month();
    let (mut scratch, mut address) = (AddressScratch::default(), Address::default());
    let mut texts: Vec<String> =
        ["", " ", "\n", "〒", "-", "テスト", "東", "東京都", "\u{3099}", "🏠"]
            .map(str::to_owned)
            .into();
    for c in ALPHABET.chars() {
        texts.push(c.to_string());
        texts.push(format!("東京都千代田区霞が関{c}"));
        texts.push(format!("{c}東京都千代田区霞が関2-1{c}1"));
    }
    for unit in
        ["1", "－", "一", "東京都", "北一条西", "あ", "\u{3099}", "🏠", "上る", "(", "十", "1-"]
    {
        let long = unit.repeat(100_000 / unit.len());
        texts.push(format!("京都府京都市中京区寺町通御池{long}"));
        texts.push(format!("東京都千代田区霞が関1-2{long}"));
        texts.push(long);
    }
    for text in &texts {
        normalize(month, text, &mut scratch, &mut address);
    }
    for text in ["", "テスト", "〒", "🏠"] {
        normalize(month, text, &mut scratch, &mut address);
        assert!(Component::ALL.iter().all(|part| address.get(*part).is_none()), "{text:?}");
    }
}

#[needs::official_data]
#[test]
fn any_text_is_normalised() {
    let month = month();
    let alphabet = characters(ALPHABET);
    let ours = prop::collection::vec(prop::sample::select(alphabet), 0..60);
    let any = prop::collection::vec(any::<char>(), 0..40);
    let front = prop::sample::select(vec![
        "",
        "東京都",
        "京都府京都市中京区",
        "札幌市中央区北1",
        "〒100-0001",
    ]);
    let mut runner = proptest::test_runner::TestRunner::new(ProptestConfig::with_cases(4_000));
    let texts = (front, ours, any);
    let run = runner.run(&texts, |(front, ours, any)| {
        let text: String = front.chars().chain(ours).chain(any).collect();
        normalize(month, &text, &mut AddressScratch::default(), &mut Address::default());
        Ok(())
    });
    run.expect("every text is normalised");
}

/// A name without the parts that people omit: ケ and ノ, and 町 at the end.
fn without_optional_parts(name: &str) -> String {
    name.trim_end_matches('町').replace(['ケ', 'ノ'], "")
}

/// Replaces one character of a town's name. Unless the result is a town too, the normaliser may return
/// another town only with a mark, or if the text begins with that town's name, apart from its optional parts.
#[needs::official_data]
#[test]
fn a_typo_never_becomes_another_town() {
    let month = month();
    let mut random = Seeded::with(5);
    let (mut scratch, mut address) = (AddressScratch::default(), Address::default());
    let (mut cases, mut inside, mut corrected, mut misled) = (0, 0, 0, 0);
    let mut prefixes = Vec::new();
    let (mut jumps, mut completed) = (Vec::new(), Vec::new());
    let towns: Vec<_> =
        month.towns.iter().filter(|town| !town.area.is_empty() && !town.name.is_empty()).collect();
    for _ in 0..40_000 {
        let town = random.pick(&towns);
        let mut name = characters(town.name);
        let index = random.below(name.len());
        let other = characters(random.pick(&towns).name);
        name[index] = random.pick(&other);
        let name: String = name.into_iter().collect();
        let written = canonical(&name);
        if written == canonical(town.name) || month.town_written(town.city, &name).is_some() {
            continue;
        }
        cases += 1;
        let front = format!("{}{}", town.city.prefecture, town.city.full);
        let text = format!("{front}{name}2-8-1");
        month.data.normalize(&text, &mut scratch, &mut address).expect("sound");
        let Some(found) = address.get(Component::Town) else { continue };
        if found == town.name {
            corrected += 1;
        } else if address.corrections().len() > 0 {
            misled += 1;
        } else if month.town(town.city, found).is_none() {
            inside += 1;
        } else if written.starts_with(&canonical(found)) {
            prefixes.push(format!("{text} -> {found}"));
        } else if without_optional_parts(&written)
            .starts_with(&without_optional_parts(&canonical(found)))
        {
            completed.push(format!("{text} -> {found}"));
        } else {
            jumps.push(format!("{text} -> {found} (was {})", town.name));
        }
    }
    println!(
        "typos: {cases} cases, {} jumps, {} completed, {} shorter names, {corrected} corrected, \
         {misled} another town with a mark, {inside} kept as written",
        jumps.len(),
        completed.len(),
        prefixes.len()
    );
    for line in jumps.iter().chain(&completed).chain(&prefixes).take(60) {
        println!("    {line}");
    }
    assert!(cases > 35_000, "{cases} cases");
    assert_eq!(jumps.len(), 0, "typos became another town without a mark");
    // Every letter is as likely here as the right one, which no typist is.
    assert!(misled * 4 < corrected, "{misled} of {corrected} corrections lead to another town");
}
