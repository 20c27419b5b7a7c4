//! From a location to the nearest town, over a real month with the coordinates of a whole country: every point finds its
//! own place, random locations find what a look at every point finds, and the points of another publisher fall into the
//! municipalities and towns that it names.

use std::collections::BTreeMap;
use std::io::Read;
use std::path::Path;
use std::process::Command;
use std::sync::OnceLock;
use std::time::Instant;

use daicho::address::points::location::Location;
use daicho::address::points::tree::{METRES_MAX, Place};
use daicho::address::{Address, AddressScratch};
use daicho::dataset::postal::PostalData;
use daicho::snapshot::Dataset;

use crate::shared_data::official;

const VERSION: &str = "2026-05-29";

/// A month with coordinates.
fn data() -> &'static PostalData {
    static DATA: OnceLock<PostalData> = OnceLock::new();
    DATA.get_or_init(|| {
        let out = Path::new(env!("CARGO_TARGET_TMPDIR")).join("address-nearest");
        let output = Command::new(env!("CARGO_BIN_EXE_daicho"))
            .args(["build", "postal", "--no-download", "--version", VERSION, "--area"])
            .arg(official("postal/2026-05/utf_ken_all.csv.xz"))
            .arg("--towns")
            .arg(official("towns/towns.csv.xz"))
            .arg("--out")
            .arg(&out)
            .output()
            .expect("the program runs");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let path = out.join("postal").join(format!("{VERSION}.daicho"));
        let file = PostalData::open_in_catalog(&path).expect("just built");
        for section in file
            .sections()
            .iter()
            .filter(|it| ["points", "nearest"].contains(&it.tag.to_string().as_str()))
        {
            println!("section {}: {} bytes", section.tag, section.length);
        }
        PostalData::from_file(file)
    })
}

fn places() -> Vec<(Place, Location)> {
    data().places_with_points().expect("sound")
}

#[needs::official_data]
#[test]
fn every_point_finds_its_own_place() {
    let places = places();
    println!("{} places", places.len());
    assert!(places.len() > 150_000, "{}", places.len());
    let mut at: BTreeMap<(i32, i32), Vec<Place>> = BTreeMap::new();
    for (place, location) in &places {
        at.entry((location.lat.0, location.lon.0)).or_default().push(*place);
    }
    for (place, location) in &places {
        // Several places may have one point.
        let here = &at[&(location.lat.0, location.lon.0)];
        let found = data().nearest(*location, here.len()).expect("sound").expect("points");
        assert_eq!(found.len(), here.len(), "{location:?}");
        assert!(found.iter().all(|near| near.metres == 0.0), "{location:?}: {found:?}");
        assert!(found.iter().any(|near| near.place == *place), "{place:?} is not among {found:?}");
        let near = found.iter().find(|near| near.place == *place).expect("found");
        let town = data().near_town(*near).expect("sound").expect("a place of the data");
        assert!(!town.city.city().name.text.is_empty());
    }
}

/// Locations over Japan and its seas, the same in every run.
fn random_locations(count: usize) -> Vec<Location> {
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let mut next = |range: i64| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state % range.unsigned_abs()) as i64
    };
    let places = places();
    (0..count)
        .map(|number| {
            let (lat, lon) = match number % 2 {
                // Anywhere in the rectangle, most of it sea.
                0 => (20_000_000 + next(26_000_000), 122_000_000 + next(32_000_000)),
                // Within some ten kilometres of a place.
                _ => {
                    let (_, near) = places[next(places.len() as i64) as usize];
                    let offset = next(200_000) - 100_000;
                    (
                        i64::from(near.lat.0) + offset,
                        i64::from(near.lon.0) + next(200_000) - 100_000,
                    )
                }
            };
            let degrees = |millionths: i64| format!("{:.6}", millionths as f64 / 1e6);
            Location::parse(&degrees(lat), &degrees(lon)).expect("degrees of Japan")
        })
        .collect()
}

#[needs::official_data]
#[test]
fn random_locations_find_what_a_look_at_every_point_finds() {
    const LIMIT: usize = 10;
    let (places, locations) = (places(), random_locations(10_000));
    let mut empty = 0;
    for location in &locations {
        let mut all: Vec<f64> = Vec::new();
        for (_, at) in &places {
            // A degree of latitude is 110 km or more.
            if (at.lat.0 - location.lat.0).abs() < 100_000 {
                all.extend(Some(location.metres_to(*at)).filter(|metres| *metres <= METRES_MAX));
            }
        }
        all.sort_by(f64::total_cmp);
        all.truncate(LIMIT);
        let found = data().nearest(*location, LIMIT).expect("sound").expect("points");
        let found: Vec<f64> = found.iter().map(|near| near.metres).collect();
        assert_eq!(found, all, "{location:?}");
        empty += usize::from(all.is_empty());
    }
    assert!(empty > 1_000 && empty < 9_000, "{empty} of {} find nothing", locations.len());
    let started = Instant::now();
    for location in &locations {
        let _ = data().nearest(*location, LIMIT);
    }
    println!("{:?} for each of {} locations", started.elapsed() / 10_000, locations.len());
}

#[needs::official_data]
#[test]
fn what_an_address_may_mean_is_listed_by_its_distance() {
    const TEXT: &str = "中央1-1-1";
    let (mut scratch, mut address) = (AddressScratch::default(), Address::default());
    data().normalize(TEXT, &mut scratch, &mut address).expect("sound");
    for (lat, lon, prefecture) in [
        ("43.06", "141.35", "北海道"),
        ("35.44", "139.63", "神奈川県"),
        ("33.24", "131.61", "大分県"),
    ] {
        let near = Location::parse(lat, lon).expect("degrees");
        let explained = data().explain(TEXT, &address, Some(near)).expect("sound");
        let first = explained.candidates.first().expect("some hundred municipalities");
        assert_eq!(first.city.prefecture().name.text, prefecture);
        assert!(explained.candidates.len() <= 20, "{}", explained.candidates.len());
    }
    let likely = data().explain(TEXT, &address, None).expect("sound").candidates;
    assert_eq!(likely.len(), 20);
}

/// The text of a file, whose bytes are UTF-8 or Shift_JIS.
fn text(name: &str) -> String {
    let file = std::fs::File::open(official(name)).expect("a file of the shared data");
    let mut bytes = Vec::new();
    liblzma::read::XzDecoder::new(file).read_to_end(&mut bytes).expect("a whole file");
    String::from_utf8(bytes)
        .unwrap_or_else(|error| encoding_rs::SHIFT_JIS.decode(error.as_bytes()).0.into_owned())
}

/// The points of the ministry of land (位置参照情報, fiscal 2023) of Miyazaki are from another file of another year than
/// those of the build: nearly all fall into the town that they name.
#[needs::official_data]
#[test]
fn the_points_of_the_ministry_find_the_towns_that_it_names() {
    let text = text("address-base/samples/isj_45_2023.csv.xz");
    let (mut all, mut of_city, mut of_town) = (0, 0, 0);
    for line in text.lines().skip(1) {
        let fields: Vec<&str> = line.split(',').map(|field| field.trim_matches('"')).collect();
        let location = Location::parse(fields[6], fields[7]).expect("degrees");
        let found = data().nearest(location, 1).expect("sound").expect("points");
        let Some(near) = found.first() else { continue };
        let town = data().near_town(*near).expect("sound").expect("a place");
        all += 1;
        of_city += usize::from(format!("{:05}", town.city.jisx0402()) == fields[2]);
        let bare =
            |text: &str| text.replace("大字", "").replace("字", "").replace(['ケ', 'ヶ'], "が");
        of_town += usize::from(bare(&town.town_with_part()) == bare(fields[5]));
    }
    println!("{all} points: {of_city} in their municipality, {of_town} in their town");
    assert!(all > 1_200, "{all}");
    assert!(of_city * 100 >= all * 98, "{of_city} of {all}");
    assert!(of_town * 100 >= all * 85, "{of_town} of {all}");
}

/// The registry's points of 和歌山 and 宮崎 (アドレス・ベース・レジストリ, 2025) are of koaza too. Those near a border may be nearer
/// to a town of the neighbouring municipality, since a town has one point.
#[needs::official_data]
#[test]
fn the_points_of_the_registry_find_their_municipality() {
    let (mut all, mut of_city) = (0, 0);
    for prefecture in ["30", "45"] {
        let text = text(&format!("address-base/samples/mt_town_pos_pref{prefecture}.csv.xz"));
        for line in text.lines().skip(1) {
            let fields: Vec<&str> = line.split(',').collect();
            let Ok(location) = Location::parse(fields[4], fields[3]) else { continue };
            let found = data().nearest(location, 1).expect("sound").expect("points");
            let Some(near) = found.first() else { continue };
            let town = data().near_town(*near).expect("sound").expect("a place");
            all += 1;
            of_city += usize::from(fields[0].starts_with(&format!("{:05}", town.city.jisx0402())));
        }
    }
    println!("{all} points: {of_city} in their municipality");
    assert!(all > 8_000, "{all}");
    assert!(of_city * 100 >= all * 95, "{of_city} of {all}");
}
