//! Gazetteers that contradict themselves or the tables.

use super::sample;
use crate::address::gazetteer::{ArchivedGazetteer, DetailKind, Gazetteer, LotRange};

#[test]
fn a_gazetteer_that_contradicts_itself_is_refused() {
    let (cities, records) = sample::tables();
    let checked = |gazetteer: &Gazetteer| {
        let bytes = rkyv::to_bytes::<rkyv::rancor::Error>(gazetteer).expect("small");
        let read = rkyv::access::<ArchivedGazetteer, rkyv::rancor::Error>(&bytes);
        read.expect("archived data are valid").check(cities.len(), records.len())
    };
    let refused = |expected: &str, damage: fn(&mut Gazetteer)| {
        let mut gazetteer = Gazetteer::build(&cities, &records);
        assert_eq!(checked(&gazetteer), Ok(()));
        damage(&mut gazetteer);
        assert_eq!(checked(&gazetteer), Err(expected));
    };

    let lengths = "something for every name and every municipality";
    refused(lengths, |it| _ = it.prefecture_of.pop());
    refused(lengths, |it| _ = it.alias_since.pop());
    refused(lengths, |it| _ = it.details.pop());
    refused(lengths, |it| _ = it.cities.pop());
    let areas = "names of municipalities of the tables";
    refused(areas, |it| it.area_of[0].city = u16::MAX);
    refused(areas, |it| it.former_of[0].city = u16::MAX);
    refused("counties at the beginning of former names", |it| {
        it.former_of[0].county_length = u8::MAX;
    });
    refused("towns grouped by municipality", |it| it.cities[0].first_town = 1_000);
    let aliases = "other names of towns grouped by municipality";
    refused(aliases, |it| it.cities[0].first_alias = 1_000);
    refused(aliases, |it| it.alias_of[0] = 1_000);
    refused("rows of the tables", |it| it.rows[0] = 1_000);
    refused("rows of the tables", |it| it.cities[0].end_row = 1_000);
    refused("rows grouped by town", |it| it.town_rows[1] = 1_000);
    refused("lots grouped by row", |it| {
        let last = LotRange { row: 0, chome: 0, is_exception: false, first: 0, last: 0 };
        it.lots.push(last);
    });
    let details = "details of towns and rows of the tables";
    refused(details, |it| it.details[0].row = 1_000);
    refused(details, |it| {
        let last = it.details.last_mut().expect("the sample has details");
        last.town = it.with_chome.len() as u32;
    });
    let order = "details grouped by town and kind";
    refused(order, |it| it.details.reverse());
    refused(order, |it| {
        let last = it.details.len() - 1;
        (it.details[last - 1].kind, it.details[last].kind) =
            (DetailKind::Building, DetailKind::Koaza);
        it.details[last - 1].town = it.details[last].town;
    });
}
