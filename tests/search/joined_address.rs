//! Keywords over several fields, with the official postal codes of May 2026: a keyword that joins a
//! prefecture, a municipality and a town finds at least the records that it names.

use std::collections::{BTreeMap, HashSet};

use daicho::dataset::postal::PostalData;
use daicho::dataset::postal::search::PostalSearch;
use daicho::dataset::postal::syntax::PostalQuery;

use crate::month;

/// Every row that a keyword finds, best first.
fn rows(data: &PostalData, keyword: &str) -> Vec<u32> {
    let q = PostalQuery::parse(keyword).unwrap_or_else(|error| panic!("{keyword}: {error}"));
    let search = PostalSearch { q: Some(&q), limit: 200_000, ..PostalSearch::default() };
    let found = data.search(&search).expect("a sound snapshot");
    assert_eq!(found.count, found.rows.len() as u64, "{keyword}");
    found.rows
}

/// The keywords that miss one of the rows they name.
fn misses(data: &PostalData, keywords: &BTreeMap<String, Vec<u32>>) -> Vec<String> {
    let misses = keywords.iter().filter(|(keyword, expected)| {
        let found: HashSet<u32> = rows(data, keyword).into_iter().collect();
        !expected.iter().all(|row| found.contains(row))
    });
    misses.map(|(keyword, _)| keyword.clone()).collect()
}

#[needs::official_data]
#[test]
fn a_municipality_joined_to_its_prefecture_finds_its_records() {
    let data = month();
    let mut keywords: BTreeMap<String, Vec<u32>> = BTreeMap::new();
    for (row, record) in (0..).zip(data.records().expect("sound")) {
        let (prefecture, city) = (record.city().prefecture(), record.city().city());
        let (prefecture, city) = (prefecture.name.text, city.name.text);
        keywords.entry(format!("{prefecture}{city}")).or_default().push(row);
        keywords.entry(city.to_owned()).or_default().push(row);
    }
    assert!(keywords.len() > 2 * 1_890, "{}", keywords.len());
    assert_eq!(misses(data, &keywords), [""; 0]);
}

#[needs::official_data]
#[test]
fn a_town_joined_to_its_municipality_finds_its_records() {
    let data = month();
    let mut keywords: BTreeMap<String, Vec<u32>> = BTreeMap::new();
    let mut spaced: BTreeMap<String, Vec<u32>> = BTreeMap::new();
    for (row, record) in (0..).zip(data.records().expect("sound")) {
        let (prefecture, city) = (record.city().prefecture(), record.city().city());
        let (prefecture, city) = (prefecture.name.text, city.name.text);
        let town = record.town().name.text;
        // One postal code in 16, and every town whose name has one letter.
        let one_letter = town.chars().count() == 1;
        if town.is_empty() || record.postal_code() % 16 != 0 && !one_letter {
            continue;
        }
        keywords.entry(format!("{city}{town}")).or_default().push(row);
        keywords.entry(format!("{prefecture}{city}{town}")).or_default().push(row);
        if one_letter {
            spaced.entry(format!("city:{city} AND {town}")).or_default().push(row);
            keywords.entry(format!("{city} {town}")).or_default().push(row);
        }
    }
    println!("{} keywords, {} pairs with a name of one letter", keywords.len(), spaced.len());
    assert!(keywords.len() > 12_000 && spaced.len() > 500, "{} {}", keywords.len(), spaced.len());
    assert_eq!(misses(data, &keywords), [""; 0]);
    assert_eq!(misses(data, &spaced), [""; 0]);
}

#[needs::official_data]
#[test]
fn an_address_of_a_business_is_found_as_it_is_printed() {
    let data = month();
    let mut keywords: BTreeMap<String, Vec<u32>> = BTreeMap::new();
    let mut in_lot = 0;
    for (row, record) in (0..).zip(data.records().expect("sound")) {
        let Some(business) = record.corporation() else { continue };
        let (city, lot) = (record.city().city().name.text, business.block_lot().text);
        // Every business whose town is read from its lot. Its town column is empty or a Kyoto street.
        if record.town_is_in_lot() {
            in_lot += 1;
            keywords.entry(format!("\"{city}{lot}\"")).or_default().push(row);
            keywords.entry(format!("block_lot:\"{lot}\"")).or_default().push(row);
        } else if !lot.is_empty() && record.kyoto_street().text.is_empty() && row % 16 == 0 {
            let printed = format!("\"{city}{}{lot}\"", record.town_raw().text);
            keywords.entry(printed).or_default().push(row);
        }
    }
    println!("{} keywords, {in_lot} with a town that is read from the lot", keywords.len());
    assert!(keywords.len() > 1_400 && in_lot > 20, "{} {in_lot}", keywords.len());
    assert_eq!(misses(data, &keywords), [""; 0]);
    assert_eq!(rows(data, "長野市県町５３２").len(), 1);
}

#[needs::official_data]
#[test]
fn records_with_the_keyword_in_a_field_come_first() {
    let data = month();
    let records: Vec<_> = data.records().expect("sound").collect();
    let found = rows(data, "東京都千代田区");
    let of_ward = |row: &&u32| records[**row as usize].city().city().name.text == "千代田区";
    assert!(found.len() > 1_000 && found.iter().filter(of_ward).count() > 1_000);
    let first = records[found[0] as usize].corporation().expect("a business");
    let in_a_field = [first.name().text, first.block_lot().text];
    assert!(in_a_field.iter().any(|text| text.contains("東京都千代田区")), "{in_a_field:?}");
}
