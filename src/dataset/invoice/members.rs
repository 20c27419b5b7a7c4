//! The members of an invoice issuer: the same in every API version that has them.

use std::sync::LazyLock;

use crate::dataset::address::{ADDRESS, Address, Name, Naming};
use crate::dataset::former_name::FoundBy;
use crate::dataset::invoice::record::{INDIVIDUAL, InvoiceView};
use crate::dataset::member::shape::Shape::{Date, OneNumber, Text, Whole};
use crate::dataset::member::shape::{COUNT, Columns, DATE_OR_NULL, INVOICE_NUMBER, Shape};
use crate::dataset::member::{Day, MemberValue, members};
use crate::export::Cells;
use crate::json::{close_data, open_data, or_null, write_numbers};
use crate::record::StoredText;
use crate::record::parts::AddressView;
use crate::text::codes::{ApiVersion, DataVersion, InvoiceNumber};

#[derive(Clone, Copy)]
pub struct Issuer<'a> {
    pub view: &'a InvoiceView<'a>,
    pub naming: Naming,
    /// The former name of its corporation by which a search found it.
    pub found_by: FoundBy<'a>,
}

impl<'a> Issuer<'a> {
    /// As published, and found by its number.
    pub fn published(view: &'a InvoiceView<'a>) -> Issuer<'a> {
        Issuer { view, naming: Naming::Published, found_by: FoundBy(None) }
    }

    /// The kind of a superseded entry.
    fn assumed_kind(&self) -> u8 {
        if self.view.is_individual() { INDIVIDUAL } else { CORPORATION }
    }
}

const CORPORATION: u8 = 2;
const IN_JAPAN: u8 = 1;

/// A code that the source leaves out of superseded entries, and what answers have then: the client libraries of the
/// hosted service refuse null. Exports have null.
struct OrAssumed(Option<u8>, u8);

impl MemberValue for OrAssumed {
    const SHAPE: Shape = Whole { min: 0, max: u64::MAX };

    fn write(self, out: &mut Vec<u8>, api: ApiVersion) {
        self.0.unwrap_or(self.1).write(out, api);
    }

    fn fill(self, cells: &mut Cells<'_>) {
        self.0.fill(cells);
    }
}

members! {
    /// A qualified invoice issuer.
    pub const ISSUER: "InvoiceIssuer" of it: Issuer<'_>;
    "published_date": Date => Day(it.view.published_date()), "Date of the file that the entry came from", "履歴が載ったファイルの日付";
    "sequence_number": COUNT => it.view.sequence_number(), "Sequence number of the row", "一連番号";
    "qualified_invoice_issuer_number": INVOICE_NUMBER => it.view.number(), "Registration number", "登録番号";
    "process": OneNumber(&[1, 2, 3, 4]) => it.view.registration.process, "1 new, 2 changed, 3 lapsed (失効), 4 revoked (取消)", "事業者処理区分。1は新規、2は変更、3は失効、4は取消";
    "correct": OneNumber(&[0, 1]) => u8::from(it.view.correct()), "1 if the entry is a correction", "訂正区分。訂正なら1";
    "kind": OneNumber(&[1, 2]) => OrAssumed(it.view.kind(), it.assumed_kind()), "1 individual, 2 corporation or association. The source has none for a superseded entry: then by the check digit of the number, null in exports", "人格区分。1は個人、2は法人（人格のない社団等を含む）。最新でない履歴では公表されないため、番号のチェックデジットによる。エクスポートではnull", columns Columns::NULLABLE;
    "country": OneNumber(&[1, 2, 3]) => OrAssumed(it.view.country(), IN_JAPAN), "1 in Japan, 2 and 3 foreign (特定国外事業者, and others). The source has none for a superseded entry: then 1, null in exports", "国内外区分。1は国内、2と3は国外（特定国外事業者とその他）。最新でない履歴では公表されないため1。エクスポートではnull", columns Columns::NULLABLE;
    "latest": OneNumber(&[0, 1]) => u8::from(it.view.registration.latest), "1 if this is the newest entry of the number, 0 if it is superseded and the number has no other", "最新履歴なら1";
    "registration_date": DATE_OR_NULL => Day::or_none(it.view.registration.registration_date), "Date of registration", "登録年月日";
    "update_date": DATE_OR_NULL => Day::or_none(it.view.update_date()), "Date of the update", "更新年月日";
    "disposal_date": DATE_OR_NULL => Day::or_none(it.view.registration.disposal_date), "Date of the revocation", "取消年月日";
    "expire_date": DATE_OR_NULL => Day::or_none(it.view.registration.expire_date), "Date of the lapse", "失効年月日";
    "address": ADDRESS => OrUnused(it.view.addresses[0]), "Registered office", "本店又は主たる事務所の所在地", columns Columns::NULLABLE;
    "address_request": ADDRESS => OrUnused(it.view.addresses[1]), "Office that the issuer asked to publish", "公表申出による主たる事務所等の所在地", columns Columns::NULLABLE;
    "address_inside": ADDRESS => OrUnused(it.view.addresses[2]), "Office in Japan of a foreign issuer", "国内において行う資産の譲渡等に係る事務所等の所在地", columns Columns::NULLABLE;
    "kana": Text => it.view.kana(), "Reading of the name, or empty", "名称の読み。なければ空";
    "name": Text => Name { published: StoredText::Text(it.view.name()), naming: it.naming }, "Name; empty for individuals who do not publish it", "氏名又は名称。公表していない個人では空";
    "trade_name": Text => it.view.trade_name(), "Trade name that the issuer asked to publish, or empty", "公表申出による屋号。なければ空";
    "popular_name_previous_name": Text => it.view.popular_name(), "Common or former name that the issuer asked to publish, or empty", "公表申出による通称・旧姓。なければ空";
    ..FoundBy { it.found_by };
}

/// An address, or one that is not used: its members are in the answer all the same, its columns are null.
struct OrUnused<'s>(Option<AddressView<'s>>);

impl MemberValue for OrUnused<'_> {
    const SHAPE: Shape = ADDRESS;

    fn write(self, out: &mut Vec<u8>, api: ApiVersion) {
        /// Most issuers use one address of three. It is the same in every API version.
        static UNUSED: LazyLock<Vec<u8>> = LazyLock::new(|| {
            let mut json = Vec::new();
            Address::UNUSED.write(&mut json, ApiVersion::NEWEST);
            json
        });
        match self.0 {
            Some(address) => Address::stored(address).write(out, api),
            None => out.extend_from_slice(&UNUSED),
        }
    }

    fn fill(self, cells: &mut Cells<'_>) {
        self.0.map(Address::stored).fill(cells);
    }
}

/// Appends the answer with one record, and whether it is registered on the requested day, if one was: null for unknown.
pub fn write_invoice(
    out: &mut Vec<u8>,
    api: ApiVersion,
    version: DataVersion,
    view: &InvoiceView<'_>,
    registered_on_date: Option<Option<bool>>,
) {
    open_data(out, version);
    Issuer::published(view).write(out, api);
    if let Some(registered) = registered_on_date {
        out.extend_from_slice(b",\"registered_on_date\":");
        registered.write(out, api);
    }
    close_data(out);
}

/// Appends the members after `data` for one number of a batch, without the closing brace.
pub fn write_invoice_outcome(
    out: &mut Vec<u8>,
    api: ApiVersion,
    number: InvoiceNumber,
    registered_on_date: Option<bool>,
    count: usize,
    id: Option<&str>,
) {
    out.extend_from_slice(b"\"query\":");
    number.write(out, api);
    out.extend_from_slice(b",\"registered_on_date\":");
    registered_on_date.write(out, api);
    write_numbers(out, count as u64, 0, 1);
    or_null(out, "null,\"id\":", id);
}
