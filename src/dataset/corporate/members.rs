//! The members of a corporation: flat with strings up to API version 2023-09-01; with an address object and numbers
//! from 2024-01-01; the cause of closing a number from 2025-01-01. And the answers with them.
//!
//! The published date is the date of the full file or difference that the record came from. The number of a qualified
//! invoice issuer is `T` and the corporate number, or `null`. The loaded register decides, else the register that the
//! snapshot was built with; in a snapshot built without one, every corporation has the number.

use super::CorporateData;
use super::fragments::PlaceFragments;
use super::search::{FormerNameMatches, FoundRow};
use crate::dataset::address::{ADDRESS, Address, Name, Naming, Parts, Place, PreparedPlace};
use crate::dataset::corporate::record::CorporateView;
use crate::dataset::former_name::FoundBy;
use crate::dataset::invoice::InvoiceData;
use crate::dataset::member::shape::Shape::{
    self, Date, OneNumber, OneOf, OrNull, Pattern, Text, Whole,
};
use crate::dataset::member::shape::{
    CORPORATE_NUMBER, Columns, DATE_OR_NULL, INVOICE_NUMBER, JISX0402, POSTAL_CODE, TEXT_OR_NULL,
};
use crate::dataset::member::{
    Day, Digits, MemberValue, NumberInQuotes, members, non_empty, text_or_none,
};
use crate::json::{QueryOutcome, close_data, open_data, write_query_outcome};
use crate::record::StoredText;
use crate::snapshot::Result;
use crate::text::codes::{ApiVersion, DataVersion, InvoiceNumber};

#[derive(Clone, Copy, derive_more::Deref)]
pub struct Corporation<'s> {
    #[deref]
    pub view: CorporateView<'s>,
    pub place: PreparedPlace<'s>,
    pub naming: Naming,
    /// Whether it is a qualified invoice issuer on the day of the data version.
    pub is_issuer: bool,
    pub found_by: FoundBy<'s>,
}

impl<'s> Corporation<'s> {
    #[inline]
    fn address(&self) -> Address<'s> {
        let (postal_code, parts) = (self.post_code(), Parts(self.parts()));
        Address { postal_code, place: self.place, street: StoredText::Coded(self.street()), parts }
    }

    fn members_of_place(&self) -> Place<'s> {
        self.place.members
    }
}

const IMAGE: Shape = OrNull(&Pattern("^[0-9]{8}$"));
const FLAG: Shape = OneNumber(&[0, 1]);
const FLAG_IN_QUOTES: Shape = OneOf(&["0", "1"]);

members! {
    /// A corporation.
    pub const CORPORATION: "Corporation" of it: &Corporation<'_>;
    "published_date": Date => Day(it.published.date()), "Date of the file that the newest entry came from", "最新の履歴が載ったファイルの日付";
    "sequence_number": Whole { min: 1, max: u32::MAX as u64 } => it.sequence_number(), "Sequence number of the corporation (一連番号)", "一連番号", before V2024_01_01 Pattern("^[0-9]+$") => NumberInQuotes(it.sequence_number());
    "corporate_number": CORPORATE_NUMBER => it.number(), "Corporate number", "法人番号";
    "process": OneNumber(&[1, 11, 12, 13, 21, 22, 71, 72, 81, 99]) => it.process(), "What the newest entry did (処理区分): 1 new, 11 name, 12 address in Japan, 13 address abroad, 21 closed, 22 restored, 71 absorbed, 72 absorption void, 81 name struck off, 99 deleted", "処理区分。1は新規、11は商号又は名称の変更、12は国内所在地の変更、13は国外所在地の変更、21は登記記録の閉鎖等、22は登記記録の復活等、71は吸収合併、72は吸収合併無効、81は商号の登記抹消、99は削除", before V2024_01_01 OneOf(&["1", "11", "12", "13", "21", "22", "71", "72", "81", "99"]) => NumberInQuotes(it.process().into());
    "correct": FLAG => u8::from(it.correct()), "1 if the entry is a correction", "訂正区分。訂正なら1", before V2024_01_01 FLAG_IN_QUOTES => NumberInQuotes(it.correct().into());
    "update_date": Date => Day(it.update_date()), "Date of the update", "更新年月日";
    "change_date": Date => Day(it.change_date()), "Date of the change", "変更年月日";
    "name": Text => Name { published: StoredText::Coded(it.name()), naming: it.naming }, "Name", "商号又は名称";
    "name_image_id": IMAGE => it.name_image().map(Digits::<8>), "ID of the image of a name with characters outside JIS levels 1 and 2", "商号又は名称のイメージID";
    "kind": OneNumber(&[101, 201, 301, 302, 303, 304, 305, 399, 401, 499]) => it.kind(), "Kind of corporation (法人種別): 101 state, 201 local government, 301 株式会社, 302 有限会社, 303 合名会社, 304 合資会社, 305 合同会社, 399 other registered, 401 foreign, 499 other", "法人種別。101は国の機関、201は地方公共団体、301は株式会社、302は有限会社、303は合名会社、304は合資会社、305は合同会社、399はその他の設立登記法人、401は外国会社等、499はその他", before V2024_01_01 OneOf(&["101", "201", "301", "302", "303", "304", "305", "399", "401", "499"]) => NumberInQuotes(it.kind().into());
    "prefecture_name": TEXT_OR_NULL => non_empty(it.place().prefecture()), "Prefecture", "都道府県", until V2024_01_01;
    "city_name": TEXT_OR_NULL => non_empty(it.place().city()), "County, city and ward in one", "市区町村（郡・区を含む）", until V2024_01_01;
    "street_number": Text => it.street(), "The address below the municipality", "丁目番地等", until V2024_01_01;
    ..Parts { Parts(it.parts()) }, until V2024_01_01;
    "address": ADDRESS => it.address(), "Address of the head office in Japan", "国内所在地", since V2024_01_01, columns Columns::without(&["prefecture_kana", "city_kana", "city_roman"]);
    "address_image_id": IMAGE => it.address_image().map(Digits::<8>), "ID of the image of an address with rare characters", "国内所在地のイメージID";
    "jisx0402": OrNull(&JISX0402) => it.place().jisx0402().map(Digits::<5>), "Code of the municipality", "市区町村コード（JIS X 0402）", until V2024_01_01;
    "post_code": OrNull(&POSTAL_CODE) => it.post_code().map(Digits::<7>), "Postal code", "郵便番号", until V2024_01_01;
    "address_outside": Text => it.outside(), "Address abroad, or empty", "国外所在地。なければ空";
    "address_outside_image_id": IMAGE => it.outside_image().map(Digits::<8>), "Its image", "国外所在地のイメージID";
    "close_date": DATE_OR_NULL => it.close_date().map(Day), "Date of closing, null while open", "登記記録の閉鎖等年月日";
    "close_cause": OrNull(&OneNumber(&[1, 11, 21, 31])) => it.close_cause(), "Cause of closing: 1 liquidated, 11 dissolved by merger, 21 closed by the registrar, 31 otherwise liquidated", "登記記録の閉鎖等の事由。1は清算の結了等、11は合併による解散等、21は登記官による閉鎖、31はその他の清算の結了等", before V2025_01_01 OrNull(&OneOf(&["1", "11", "21", "31"])) => it.close_cause().map(|cause| NumberInQuotes(cause.into()));
    "successor_corporate_number": OrNull(&CORPORATE_NUMBER) => it.successor(), "Number of the successor", "承継先法人番号";
    "change_cause": Text => it.change_cause(), "Details of the change, or empty", "変更事由の詳細。なければ空";
    "assignment_date": Date => Day(it.assignment_date()), "Date on which the number was assigned", "法人番号指定年月日";
    "en_name": Text => it.en_name(), "English name, or empty", "商号又は名称（英語表記）。なければ空";
    "en_prefecture_name": Text => it.members_of_place().prefecture_roman().unwrap_or_default(), "Prefecture in English", "国内所在地（都道府県）（英語表記）", until V2024_01_01;
    "en_address_line": TEXT_OR_NULL => text_or_none(it.en_city()), "Address in English", "国内所在地（市区町村丁目番地等）（英語表記）", before V2024_01_01 Text => it.en_city();
    "en_address_outside": TEXT_OR_NULL => text_or_none(it.en_outside()), "Address abroad in English", "国外所在地（英語表記）", before V2024_01_01 Text => it.en_outside();
    "furigana": Text => it.furigana(), "Reading of the name, or empty", "フリガナ。なければ空";
    "hihyoji": FLAG => u8::from(it.hihyoji()), "1 if excluded from searches", "検索対象除外なら1", before V2024_01_01 FLAG_IN_QUOTES => NumberInQuotes(it.hihyoji().into());
    "qualified_invoice_issuer_number": OrNull(&INVOICE_NUMBER) => it.is_issuer.then(|| InvoiceNumber::from_corporate(it.number())), "T and the corporate number, if a register of invoice issuers has it; without a register, of every open corporation, and no registration", "Tと法人番号。適格請求書発行事業者データに登録がなければnull。そのデータがなければ閉鎖していない法人すべてにあり、登録を意味しない", since V2024_01_01;
    ..FoundBy { it.found_by };
}

/// The API version from which a record has an address object, and the number of an invoice issuer.
const OBJECT_SINCE: ApiVersion = ApiVersion::V2024_01_01;

/// Appends the answer with one corporation. Fails only if the register of issuers is damaged.
pub fn write_corporation(
    out: &mut Vec<u8>,
    form: &CorporateForm<'_>,
    view: &CorporateView<'_>,
) -> Result<()> {
    open_data(out, form.version);
    write_corporate_record(out, form, view)?;
    close_data(out);
    Ok(())
}

pub fn write_corporate_search(
    out: &mut Vec<u8>,
    form: &CorporateForm<'_>,
    data: &CorporateData,
    outcome: &QueryOutcome<'_>,
    former: &FormerNameMatches,
) -> Result<()> {
    open_data(out, form.version);
    let mut separator = b'[';
    for row in &outcome.found.rows {
        out.push(separator);
        separator = b',';
        write_found_corporation(out, form, data, former.found(data, *row)?)?;
    }
    out.extend_from_slice(if separator == b'[' { b"[]," } else { b"]," });
    write_query_outcome(out, outcome);
    close_data(out);
    Ok(())
}

/// Appends the record of a row that a search found, marked if a former name or an alias found it.
pub fn write_found_corporation(
    out: &mut Vec<u8>,
    form: &CorporateForm<'_>,
    data: &CorporateData,
    found: FoundRow,
) -> Result<()> {
    let found_by = found.found_by(data)?;
    let record = form.record(data.record(found.row)?)?;
    (&Corporation { found_by, ..record }).write(out, form.api);
    Ok(())
}

#[derive(Debug, Clone, Copy)]
pub struct CorporateForm<'a> {
    pub api: ApiVersion,
    pub version: DataVersion,
    pub naming: Naming,
    pub places: &'a PlaceFragments,
    /// The register that decides who is a qualified invoice issuer; without it the record does.
    pub register: Option<&'a InvoiceData>,
}

impl<'a> CorporateForm<'a> {
    /// The form of this data, with the parts of it that are prepared.
    pub fn of(
        data: &'a CorporateData,
        register: Option<&'a InvoiceData>,
        api: ApiVersion,
        naming: Naming,
    ) -> CorporateForm<'a> {
        let places = data.fragments();
        CorporateForm { api, version: data.version(), naming, places, register }
    }

    /// A corporation with all that its members are read from.
    #[inline]
    pub fn record<'s>(&self, view: CorporateView<'s>) -> Result<Corporation<'s>>
    where
        'a: 's,
    {
        let is_issuer = self.is_issuer(&view)?;
        Ok(self.record_of_issuer(&view, is_issuer))
    }

    /// As [`record`](Self::record), if it is known whether it is an issuer.
    #[inline]
    fn record_of_issuer<'s>(&self, view: &CorporateView<'s>, is_issuer: bool) -> Corporation<'s>
    where
        'a: 's,
    {
        let (place, en_prefecture) = (view.place(), view.en_prefecture());
        let bytes = match self.api >= OBJECT_SINCE {
            true => self.places.get(place, en_prefecture),
            false => None,
        };
        let place = PreparedPlace { members: Place::Office(place, en_prefecture), bytes };
        let found_by = FoundBy(None);
        Corporation { view: *view, place, naming: self.naming, is_issuer, found_by }
    }

    /// Whether a corporation is a qualified invoice issuer on the day of the data version.
    pub fn is_issuer(&self, view: &CorporateView<'_>) -> Result<bool> {
        match self.register.filter(|_| self.api >= OBJECT_SINCE) {
            Some(register) => register.is_registered(view.number(), self.version.number()),
            // Without any register every record has the mark; a closed corporation certainly is none.
            None => Ok(view.is_issuer && view.close_date().is_none()),
        }
    }
}

impl CorporateForm<'static> {
    /// The form of the newest API version, with names as published and without prepared parts.
    pub fn newest(version: DataVersion) -> CorporateForm<'static> {
        let (naming, places) = (Naming::Published, PlaceFragments::NONE);
        CorporateForm { api: ApiVersion::NEWEST, version, naming, places, register: None }
    }
}

pub fn write_corporate_record(
    out: &mut Vec<u8>,
    form: &CorporateForm<'_>,
    view: &CorporateView<'_>,
) -> Result<()> {
    // A result with the record would be copied once more, and the view is large.
    let is_issuer = form.is_issuer(view)?;
    (&form.record_of_issuer(view, is_issuer)).write(out, form.api);
    Ok(())
}
