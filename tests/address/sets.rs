//! Large sets in the form of an external set of example addresses, which is not in the repository: the
//! same columns and categories, with thousands of rows each, built from the public institutions of the
//! business file, the area file and the towers.
//!
//! The sets are scored in process and written to `target/tmp/address-sets.tsv`, which the scorer of the
//! example addresses can read. The expected values follow the notes of the examples: the code of an
//! institution and that of its area are both right, a town may include its aza, and 地割 may be in the
//! town or in the lot.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::Path;

use daicho::address::Component;

use crate::businesses::{INSTITUTIONS, aza, codes, floors, is_doubtful, towns};
use crate::case::{Bound, Case, Sweep, Want};
use crate::month::{City, Month, Row, Town, month};
use crate::towns::Omissions;
use crate::writing::{
    HYPHENS, Seeded, full_width, half_width, in_kanji, kanji_digits, kanji_number, variant_kanji,
    variant_ke,
};

/// An institution whose town has an area record and whose lot has a regular form.
struct Institution<'m> {
    row: &'m Row,
    town: &'m Town,
    /// As the source writes the town.
    written: &'m str,
    block_lot: &'m str,
    lot: &'m str,
    aza: Option<&'m str>,
    codes: BTreeSet<u32>,
}

fn institutions(month: &Month) -> Vec<Institution<'_>> {
    let found = month.rows.iter().filter_map(|row| {
        let business = row.business?;
        let public = INSTITUTIONS.iter().any(|word| business.name.contains(word));
        let block_lot = business.block_lot;
        let in_box = business.box_number || block_lot.contains("私書箱");
        if !public || in_box || is_doubtful(month, row, block_lot) {
            return None;
        }
        let town = month.town_written(row.city, row.town)?;
        let lot = business.block_lot_num?;
        let mut codes = codes(month, town, block_lot, lot);
        codes.insert(row.code);
        let aza = aza(block_lot);
        Some(Institution { row, town, written: row.town, block_lot, lot, aza, codes })
    });
    found.collect()
}

impl Institution<'_> {
    fn case(&self, class: &'static str, input: String) -> Case {
        Case::new(class, input)
            .city(self.row.city)
            .want(Component::Town, towns(self.town, self.block_lot))
            .lot(self.lot)
            .want(Component::Building, Want::text(half_width(self.row.building)))
            .want(Component::FloorRoom, floors(self.row, self.block_lot))
            .codes(self.codes.iter().copied())
    }

    /// Prefecture and municipality.
    fn area(&self) -> String {
        format!("{}{}", self.row.city.prefecture, self.row.city.full)
    }

    /// Whether the address has neither an aza nor a building.
    fn is_plain(&self) -> bool {
        self.aza.is_none() && self.row.building.is_empty()
    }

    fn numbers(&self) -> Vec<u32> {
        self.lot.split('-').filter_map(|number| number.parse().ok()).collect()
    }
}

fn cases_of_institution(
    institution: &Institution<'_>,
    omissions: &Omissions,
    random: &mut Seeded,
) -> Vec<Case> {
    let mut cases = Vec::new();
    let City { prefecture, county, city, ward, full, .. } = institution.row.city;
    let (front, written) = (institution.area(), institution.written);
    let lot = half_width(institution.block_lot);
    let mut add = |class, input: String| cases.push(institution.case(class, input));
    let class = match (
        institution.aza.is_some(),
        institution.row.building.is_empty(),
        institution.row.floor.is_empty(),
    ) {
        (true, true, _) => "oaza-aza",
        (_, false, true) => "building",
        (_, false, false) => "floor",
        _ => "plain",
    };
    add(class, format!("{front}{written}{lot}"));
    if institution.written.contains("地割") || institution.block_lot.contains("地割") {
        return Vec::new();
    }
    if !institution.is_plain() {
        return cases;
    }
    add("width", format!("{front}{written}{}", full_width(&lot)));
    let numbers = institution.numbers();
    let words: &[&str] = match (numbers.len(), institution.block_lot.contains("丁目")) {
        (1, false) => &["番地"],
        (2, false) => &["番地", ""],
        (3, true) => &["丁目", "番", "号"],
        (2, true) => &["丁目", "番"],
        _ => &[],
    };
    if !words.is_empty() {
        let spoken: String =
            numbers.iter().zip(words).map(|(number, word)| kanji_number(*number) + word).collect();
        add("kanji-numeral", format!("{front}{written}{spoken}"));
        let digits: String =
            numbers.iter().zip(words).map(|(number, word)| kanji_digits(*number) + word).collect();
        add("kanji-numeral", format!("{front}{written}{digits}"));
        add("kanji-numeral", format!("{front}{written}{}", in_kanji(&lot)));
    }
    if numbers.len() > 1 {
        let joined = institution.lot.replace('-', &random.pick(&HYPHENS).to_string());
        add("hyphen", format!("{front}{written}{joined}"));
    }
    if omissions.prefecture(institution.town) {
        add("omit-prefecture", format!("{full}{written}{lot}"));
    }
    if omissions.county(institution.town) {
        add("omit-county", format!("{prefecture}{city}{ward}{written}{lot}"));
    }
    if let Some(names) = variant_kanji(&format!("{county}{city}{ward}{written}"), random) {
        add("old-kanji", format!("{prefecture}{names}{lot}"));
    }
    if let Some(names) = variant_ke(&format!("{full}{written}"), random) {
        add("kana-variant", format!("{prefecture}{names}{lot}"));
    }
    if prefecture == "北海道" {
        add("hokkaido", format!("{front}{}{lot}", in_kanji(&half_width(written))));
    }
    if prefecture == "沖縄県" {
        add("okinawa", format!("{front}{written}{lot}"));
        add("okinawa", format!("{front}字{}{lot}", written.trim_start_matches('字')));
    }
    cases
}

fn cases_of_town(
    month: &Month,
    town: &Town,
    omissions: &Omissions,
    random: &mut Seeded,
) -> Vec<Case> {
    let mut cases = Vec::new();
    let City { prefecture, full, .. } = town.city;
    let chome = month.rows[town.area[0]].chome;
    let numbers = [random.number(5), random.number(30), random.number(20)];
    let numbers = if chome { &numbers[..] } else { &numbers[1..] };
    let lot = crate::writing::plain_lot(numbers);
    let written = match random.below(3) {
        0 => lot.clone(),
        1 => crate::writing::lot(numbers, chome, random),
        _ => crate::writing::lot(numbers, chome, random),
    };
    let add = |class, names: String, cases: &mut Vec<Case>| {
        let case = Case::new(class, format!("{names}{written}")).city(town.city).town(town.name);
        let codes = if chome { month.codes_of_chome(town, numbers[0]) } else { month.codes(town) };
        cases.push(case.lot(lot.clone()).codes(codes));
    };
    if let Some(names) = variant_kanji(&format!("{full}{}", town.name), random) {
        add("old-kanji", format!("{prefecture}{names}"), &mut cases);
    }
    if let Some(name) = variant_ke(&format!("{full}{}", town.name), random) {
        add("kana-variant", format!("{prefecture}{name}"), &mut cases);
    }
    if !omissions.one_city(town.city) && omissions.prefecture(town) {
        add("ambiguous", format!("{full}{}", town.name), &mut cases);
    }
    cases
}

/// 地割 of any town of Iwate, whether the area file has it or not.
fn cases_of_jiwari(month: &Month, random: &mut Seeded) -> Vec<Case> {
    let iwate = month.towns.iter().filter(|town| {
        let land = town.area.iter().any(|row| month.rows[*row].koaza.contains("地割"));
        town.city.prefecture == "岩手県" && !town.area.is_empty() && !land
    });
    let of = |town: &Town, random: &mut Seeded| {
        let (number, lot, branch) = (random.number(40), random.number(300), random.number(9));
        let City { prefecture, full, .. } = town.city;
        let oaza = random.pick(&["", "大字"]);
        let written = match random.below(5) {
            0 => format!("第{number}地割{lot}番地{branch}"),
            1 => format!("{number}地割{lot}-{branch}"),
            2 => full_width(&format!("第{number}地割{lot}-{branch}")),
            3 => format!("第{}地割{}番地{branch}", kanji_number(number), kanji_number(lot)),
            _ => format!("{number}地割字向{lot}番地{branch}"),
        };
        let aza = written.contains("字向");
        let mut towns = vec![town.name.to_owned()];
        for land in [
            format!("{number}地割"),
            format!("第{number}地割"),
            format!("第{}地割", kanji_number(number)),
        ] {
            towns.push(format!("{}{land}", town.name));
            towns.push(format!("{}{land}字向", town.name));
            towns.push(format!("{}{land}向", town.name));
        }
        let lots = vec![format!("{lot}-{branch}"), format!("{number}-{lot}-{branch}")];
        let class = if aza { "jiwari with aza" } else { "jiwari" };
        Case::new(class, format!("{prefecture}{full}{oaza}{}{written}", town.name))
            .city(town.city)
            .want(Component::Town, Want::OneOf(towns))
            .want(Component::BlockLotNum, Want::OneOf(lots))
            .codes(month.codes(town))
    };
    iwate.map(|town| of(town, random)).collect()
}

/// Texts that are not Japanese addresses.
fn texts_without_address() -> Vec<Case> {
    let texts = [
        "テスト",
        "test",
        "123",
        "-",
        "なし",
        "不明",
        "〒",
        "株式会社サンプル",
        "あいうえお",
        "090-1234-5678",
        "1600 Pennsylvania Avenue NW, Washington, DC",
        "Paris, France",
        "null",
        "N/A",
        "同上",
        "山",
        "サンプル太郎",
        "ニューヨーク州",
        "台北市信義區",
        "上海市浦东新区",
        "서울특별시",
        "!!!",
        "2026-05-29",
        "未定",
        "住所",
        "あ",
        "1-2-3",
        "ビル3階",
        "山田太郎",
        "サンプルマンション101",
        "電話番号",
        "別紙参照",
        "同左",
        "連絡先なし",
        "https://example.com/",
        "x@example.com",
    ];
    texts.map(|text| Case::new("none", text)).into()
}

fn every_case(month: &Month) -> Vec<Case> {
    let omissions = Omissions::of(month);
    let mut random = Seeded::with(3);
    let mut cases = texts_without_address();
    for institution in institutions(month) {
        cases.extend(cases_of_institution(&institution, &omissions, &mut random));
    }
    for town in month.towns.iter().filter(|town| !town.area.is_empty()) {
        if omissions.stands_alone(town) && !town.name.ends_with("一円") {
            cases.extend(cases_of_town(month, town, &omissions, &mut random));
        }
    }
    cases.extend(cases_of_jiwari(month, &mut random));
    cases
}

/// At most `max` cases of each category, at even distances.
fn thinned(cases: Vec<Case>, max: usize) -> Vec<Case> {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for case in &cases {
        *counts.entry(case.class).or_default() += 1;
    }
    let mut seen: BTreeMap<&str, usize> = BTreeMap::new();
    let mut is_kept = |case: &Case| {
        let seen = seen.entry(case.class).or_default();
        *seen += 1;
        seen.is_multiple_of(counts[case.class].div_ceil(max))
    };
    cases.into_iter().filter(|case| is_kept(case)).collect()
}

#[needs::official_data]
#[test]
fn sets_in_the_form_of_the_examples_are_normalised() {
    let month = month();
    let every = std::env::var_os("DAICHO_SWEEP_ALL").is_some();
    let cases = thinned(every_case(month), if every { usize::MAX } else { 4_000 });
    write(&cases);
    let mut sweep = Sweep::new("sets", month);
    for case in &cases {
        sweep.run(case);
    }
    sweep.finish(Bound { all: 5, core: 5, code: 2 });
}

/// Writes the cases in the columns of the examples.
fn write(cases: &[Case]) {
    let mut out = String::from("id\tinput");
    for component in Component::ALL {
        let _ = write!(out, "\t{}", component.name());
    }
    out.push_str("\tpostal_code\tsource\tcategory\n");
    for (number, case) in cases.iter().enumerate() {
        let _ = write!(out, "S{number:05}\t{}", case.input);
        for want in &case.want {
            let cell = match want {
                Want::Any => "?".to_owned(),
                Want::OneOf(right) => right.join("|"),
            };
            let _ = write!(out, "\t{cell}");
        }
        let codes: Vec<String> = case.codes.iter().map(|code| format!("{code:07}")).collect();
        let codes = if codes.is_empty() { "?".to_owned() } else { codes.join("|") };
        let _ = writeln!(out, "\t{codes}\tmade\t{}", case.class);
    }
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("address-sets.tsv");
    std::fs::write(path, out).expect("below the target folder");
}
