//! A small gazetteer for unit tests: a few municipalities with one example of every difficulty.

use rkyv::rancor;

use crate::address::gazetteer::{ArchivedGazetteer, Gazetteer};
use crate::address::read;
use crate::address::reference::ReferenceData;
use crate::address::rows::rows;
use crate::address::{Address, AddressScratch, Component};
use crate::index::code_index::{ArchivedCodeIndex, CodeIndex};
use crate::record::postal::archive::ArchivedPostalTables;
use crate::record::postal::{
    CityRow, CorporationRow, Name, PostalRow, PostalTables, TownFlags, UpdateReason, UpdateStatus,
};
use crate::record::strings::{ArchivedStringTable, StringPool};
use crate::snapshot::{OwnMemory, Section};

/// Municipalities: code, prefecture, county, city, ward.
const CITIES: &[(u32, &str, &str, &str, &str)] = &[
    (1_101, "北海道", "", "札幌市", "中央区"),
    (1_105, "北海道", "", "札幌市", "豊平区"),
    (1_107, "北海道", "", "札幌市", "西区"),
    (3_303, "岩手県", "岩手郡", "岩手町", ""),
    (13_101, "東京都", "", "千代田区", ""),
    (13_102, "東京都", "", "中央区", ""),
    (13_103, "東京都", "", "港区", ""),
    (13_104, "東京都", "", "新宿区", ""),
    (13_115, "東京都", "", "杉並区", ""),
    (13_206, "東京都", "", "府中市", ""),
    (23_501, "愛知県", "額田郡", "幸田町", ""),
    (26_106, "京都府", "", "京都市", "下京区"),
    (27_128, "大阪府", "", "大阪市", "中央区"),
    (34_208, "広島県", "", "府中市", ""),
    (46_201, "鹿児島県", "", "鹿児島市", ""),
];

/// Records: municipality, code, raw town, town, koaza, street, building, floor.
type Row = (u32, u32, &'static str, [&'static str; 5]);
const ROWS: &[Row] = &[
    (1_101, 600_000, "以下に掲載がない場合", ["", "", "", "", ""]),
    (1_101, 600_003, "北三条西（１～１９丁目）", ["北三条西", "１丁目", "", "", ""]),
    (1_101, 640_823, "北三条西（２０～３０丁目）", ["北三条西", "２０丁目", "", "", ""]),
    (1_105, 620_000, "以下に掲載がない場合", ["", "", "", "", ""]),
    (1_105, 620_053, "月寒東三条", ["月寒東三条", "", "", "", ""]),
    (1_105, 620_932, "平岸二条", ["平岸二条", "", "", "", ""]),
    (1_105, 620_999, "平岸", ["平岸", "", "", "", ""]),
    (1_107, 630_000, "以下に掲載がない場合", ["", "", "", "", ""]),
    (1_107, 630_801, "二十四軒一条", ["二十四軒一条", "", "", "", ""]),
    (1_107, 630_802, "二十四軒二条", ["二十四軒二条", "", "", "", ""]),
    (3_303, 284_300, "以下に掲載がない場合", ["", "", "", "", ""]),
    (3_303, 284_307, "五日市", ["五日市", "", "", "", ""]),
    (3_303, 284_399, "五日市（上浜）", ["五日市", "上浜", "", "", ""]),
    (13_101, 1_000_000, "以下に掲載がない場合", ["", "", "", "", ""]),
    (13_101, 1_000_013, "霞が関（次のビルを除く）", ["霞が関", "", "", "", ""]),
    (13_101, 1_000_001, "千代田", ["千代田", "", "", "", ""]),
    (13_101, 1_020_082, "一番町", ["一番町", "", "", "", ""]),
    (13_102, 1_030_000, "以下に掲載がない場合", ["", "", "", "", ""]),
    (13_102, 1_030_027, "日本橋", ["日本橋", "", "", "", ""]),
    (13_103, 1_080_000, "以下に掲載がない場合", ["", "", "", "", ""]),
    (13_103, 1_080_073, "三田（次のビルを除く）", ["三田", "", "", "", ""]),
    (
        13_103,
        1_086_321,
        "三田住友不動産東京三田サウスタワー（２１階）",
        ["三田", "", "", "住友不動産東京三田サウスタワー", "２１階"],
    ),
    (13_104, 1_600_000, "以下に掲載がない場合", ["", "", "", "", ""]),
    (13_104, 1_690_052, "戸山（３丁目１８・２１番）", ["戸山", "３丁目", "", "", ""]),
    (13_104, 1_620_052, "戸山（その他）", ["戸山", "", "", "", ""]),
    (13_104, 1_600_023, "西新宿（次のビルを除く）", ["西新宿", "", "", "", ""]),
    (
        13_104,
        1_630_590,
        "西新宿新宿野村ビル（地階・階層不明）",
        ["西新宿", "", "", "新宿野村ビル", ""],
    ),
    (
        13_104,
        1_630_530,
        "西新宿新宿野村ビル（３０階）",
        ["西新宿", "", "", "新宿野村ビル", "３０階"],
    ),
    (13_104, 1_600_008, "四谷三栄町", ["四谷三栄町", "", "", "", ""]),
    (13_115, 1_660_000, "以下に掲載がない場合", ["", "", "", "", ""]),
    (13_115, 1_660_004, "阿佐谷南", ["阿佐谷南", "", "", "", ""]),
    (13_206, 1_830_000, "以下に掲載がない場合", ["", "", "", "", ""]),
    (13_206, 1_830_055, "府中町", ["府中町", "", "", "", ""]),
    (23_501, 4_440_100, "以下に掲載がない場合", ["", "", "", "", ""]),
    (23_501, 4_440_113, "菱池", ["菱池", "", "", "", ""]),
    (23_501, 4_440_191, "本町一丁目", ["本町一丁目", "", "", "", ""]),
    (23_501, 4_440_192, "本町二丁目", ["本町二丁目", "", "", "", ""]),
    (23_501, 4_440_193, "大草甲", ["大草甲", "", "", "", ""]),
    (23_501, 4_440_194, "ぬで島町", ["ぬで島町", "", "", "", ""]),
    (23_501, 4_440_195, "菱池上浜", ["菱池上浜", "", "", "", ""]),
    (23_501, 4_440_196, "若葉通", ["若葉通", "", "", "", ""]),
    (23_501, 4_440_197, "南郷（北）", ["南郷", "北", "", "", ""]),
    (23_501, 4_440_198, "南郷（南）", ["南郷", "南", "", "", ""]),
    (23_501, 4_440_199, "西七条南衣田町", ["西七条南衣田町", "", "", "", ""]),
    (26_106, 6_000_000, "以下に掲載がない場合", ["", "", "", "", ""]),
    (26_106, 6_008_079, "鍛冶屋町（堺町通松原下る）", ["鍛冶屋町", "", "堺町通松原下る", "", ""]),
    (26_106, 6_008_409, "鍛冶屋町（烏丸通松原上る）", ["鍛冶屋町", "", "烏丸通松原上る", "", ""]),
    (26_106, 6_008_001, "堺町", ["堺町", "", "", "", ""]),
    (27_128, 5_400_000, "以下に掲載がない場合", ["", "", "", "", ""]),
    (27_128, 5_420_073, "日本橋", ["日本橋", "", "", "", ""]),
    (34_208, 7_260_000, "以下に掲載がない場合", ["", "", "", "", ""]),
    (34_208, 7_260_001, "本山町", ["本山町", "", "", "", ""]),
    (34_208, 7_260_003, "元町", ["元町", "", "", "", ""]),
    (34_208, 7_293_431, "上下町上下", ["上下町上下", "", "", "", ""]),
    (46_201, 8_900_000, "以下に掲載がない場合", ["", "", "", "", ""]),
    (46_201, 8_900_075, "桜ケ丘（７、８丁目）", ["桜ケ丘", "７丁目", "", "", ""]),
    (46_201, 8_910_175, "桜ケ丘（１～６丁目）", ["桜ケ丘", "１丁目", "", "", ""]),
    (46_201, 8_920_838, "新屋敷町", ["新屋敷町", "", "", "", ""]),
];

/// Businesses: municipality, code, town, name, lot, its numbers.
type Business = (u32, u32, &'static str, &'static str, &'static str, &'static str);
const BUSINESSES: &[Business] = &[
    (13_101, 1_008_929, "霞が関", "警視庁", "２丁目１番１号", "2-1-1"),
    (23_501, 4_448_585, "", "幸田福祉会", "８９４番２", "894-2"),
    (34_208, 7_268_591, "元町", "（有）　見本工業", "９９番地８", "99-8"),
    (34_208, 7_268_592, "元町", "見本大学　生活協同組合", "９９番地９", "99-9"),
    (34_208, 7_268_593, "元町", "見本大学", "９９番地９", "99-9"),
];

/// The sections of the sample, opened.
pub struct Sample {
    tables: Section<ArchivedPostalTables>,
    strings: Section<ArchivedStringTable>,
    codes: Section<ArchivedCodeIndex>,
    gazetteer: Section<ArchivedGazetteer>,
    numbers: Vec<u32>,
}

fn city(&(jisx0402, prefecture, county, alone, ward): &(u32, &str, &str, &str, &str)) -> CityRow {
    CityRow::sample(jisx0402, prefecture, [county, alone, ward])
}

fn number(jisx0402: u32) -> u16 {
    let found = (0u16..).zip(CITIES).find(|(_, city)| city.0 == jisx0402);
    found.expect("CITIES contains the municipality of every row").0
}

fn row(&(jisx0402, postal_code, raw, [town, koaza, street, building, floor]): &Row) -> PostalRow {
    PostalRow {
        postal_code,
        city: number(jisx0402),
        old_code: String::new(),
        town: Name::sample(town),
        town_raw: raw.to_owned(),
        town_kana_raw: String::new(),
        koaza: koaza.to_owned(),
        kyoto_street: street.to_owned(),
        building: building.to_owned(),
        floor: floor.to_owned(),
        flags: TownFlags::default(),
        update_status: UpdateStatus::Unchanged,
        update_reason: UpdateReason::None,
        corporation: None,
    }
}

fn business(&(jisx0402, code, town, name, block_lot, numbers): &Business) -> PostalRow {
    let corporation = CorporationRow {
        name: name.to_owned(),
        name_kana: String::new(),
        block_lot: block_lot.to_owned(),
        block_lot_num: Some(numbers.to_owned()),
        post_office: String::new(),
        post_office_box: false,
    };
    let area = row(&(jisx0402, code, town, [town, "", "", "", ""]));
    PostalRow { corporation: Some(Box::new(corporation)), ..area }
}

/// The municipalities and records, in the order of a snapshot's tables.
pub fn tables() -> (Vec<CityRow>, Vec<PostalRow>) {
    let mut records: Vec<PostalRow> =
        ROWS.iter().map(row).chain(BUSINESSES.iter().map(business)).collect();
    records.sort_by_key(|row| (row.city, row.corporation.is_some()));
    (CITIES.iter().map(city).collect(), records)
}

impl Sample {
    /// Builds the sections as for a snapshot.
    pub fn build() -> Sample {
        let (cities, records) = tables();
        let numbers: Vec<u32> = records.iter().map(|row| row.postal_code).collect();
        let mut pool = StringPool::default();
        let tables = PostalTables::build(&cities, records.clone(), Vec::new(), &mut pool);
        macro_rules! section {
            ($value:expr) => {{
                let bytes = rkyv::to_bytes::<rancor::Error>($value).expect("small");
                Section::validate(OwnMemory::of(bytes)).expect("archived data are valid")
            }};
        }
        let sample = Sample {
            tables: section!(&tables),
            strings: section!(&pool.into_table()),
            codes: section!(&CodeIndex::build(&numbers)),
            gazetteer: section!(&Gazetteer::build(&cities, &records)),
            numbers,
        };
        let sound = sample.gazetteer.root().check(CITIES.len(), sample.numbers.len());
        sound.expect("a built table is sound");
        sample
    }

    /// The sample as reference data for addresses.
    pub fn reference(&self) -> ReferenceData<'_> {
        ReferenceData {
            gazetteer: self.gazetteer.root(),
            tables: self.tables.root(),
            strings: self.strings.root(),
            codes: self.codes.root(),
        }
    }

    /// The nonempty components of a text, and its first code.
    pub fn read(&self, text: &str) -> (Vec<String>, Option<u32>) {
        let (address, codes) = self.answer(text);
        let parts = Component::ALL.iter().filter_map(|part| address.get(*part));
        (parts.map(str::to_owned).collect(), codes.first().copied())
    }

    /// The codes of all rows of a text, in order.
    pub fn codes(&self, text: &str) -> Vec<u32> {
        self.answer(text).1
    }

    fn answer(&self, text: &str) -> (Address, Vec<u32>) {
        let mut address = Address::default();
        let mut scratch = AddressScratch::default();
        read(self.reference(), text, None, &mut scratch, &mut address);
        let mut found = Vec::new();
        rows(self.reference(), &address, &mut scratch.rows, &mut found);
        let codes = found.iter().map(|row| self.numbers[*row as usize]).collect();
        (address, codes)
    }
}
