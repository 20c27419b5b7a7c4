//! The columns of an issuer: those of the agency's full file from the second on, with the names of its JSON.

use std::borrow::Cow;

use crate::compat::agency::answer::{Column, Layout, Quotes, Row};
use crate::compat::agency::{code_text, date_text, flag_text};
use crate::dataset::invoice::record::{DELETED, InvoiceView, Period};
use crate::record::parts::AddressView;
use crate::text::codes::{DataVersion, InvoiceNumber};

const COLUMNS: usize = 23;

pub type IssuerRow<'s> = Row<'s, COLUMNS>;

const fn code(name: &'static str) -> Column {
    Column { name, quotes: Quotes::Never }
}

const fn text(name: &'static str) -> Column {
    Column { name, quotes: Quotes::Always }
}

pub const LAYOUT: Layout<COLUMNS> = Layout {
    root: "announcements",
    entry: "announcement",
    columns: [
        text("registratedNumber"),
        code("process"),
        code("correct"),
        code("kind"),
        code("country"),
        code("latest"),
        code("registrationDate"),
        code("updateDate"),
        code("disposalDate"),
        code("expireDate"),
        text("address"),
        code("addressPrefectureCode"),
        code("addressCityCode"),
        text("addressRequest"),
        code("addressRequestPrefectureCode"),
        code("addressRequestCityCode"),
        text("kana"),
        text("name"),
        text("addressInside"),
        code("addressInsidePrefectureCode"),
        code("addressInsideCityCode"),
        text("tradeName"),
        text("popularName_previousName"),
    ],
};

/// The row of an entry; `is_latest` if the number has no newer one.
pub fn row<'s>(view: &InvoiceView<'s>, is_latest: bool) -> IssuerRow<'s> {
    let [office, requested, inside] = view.addresses.map(address);
    let [address, prefecture, city] = office;
    let [address_request, request_prefecture, request_city] = requested;
    let [address_inside, inside_prefecture, inside_city] = inside;
    let registration = view.registration;
    [
        view.number().to_string().into(),
        code_text(Some(registration.process), 2),
        flag_text(view.correct()),
        code_text(view.kind(), 1),
        code_text(view.country(), 1),
        flag_text(is_latest),
        date_text(registration.registration_date),
        date_text(view.update_date()),
        date_text(registration.disposal_date),
        date_text(registration.expire_date),
        address,
        prefecture,
        city,
        address_request,
        request_prefecture,
        request_city,
        view.kana().to_string().into(),
        Cow::Borrowed(view.name().text),
        address_inside,
        inside_prefecture,
        inside_city,
        Cow::Borrowed(view.trade_name().text),
        Cow::Borrowed(view.popular_name().text),
    ]
}

/// An address with the codes of its prefecture and its municipality.
fn address(address: Option<AddressView<'_>>) -> [Cow<'_, str>; 3] {
    let Some(address) = address else { return [const { Cow::Borrowed("") }; 3] };
    let [prefecture, ..] = address.place.prefecture();
    let [city, ..] = address.place.city();
    let code = address.place.code();
    let known = |digits: u32| Some(digits).filter(|digits| *digits != 0);
    [
        [prefecture, city, address.street.text].concat().into(),
        code_text(known(code / 1_000), 2),
        code_text(known(code % 1_000), 3),
    ]
}

/// The row of a past registration, of which the newer entry of the number only has the days. The agency publishes such a
/// superseded entry with these columns alone too.
pub fn past(view: &InvoiceView<'_>, period: Period) -> IssuerRow<'static> {
    let mut row = superseded(view.number(), "01", date_text(view.update_date()));
    row[6] = date_text(period.start);
    row[9] = date_text(period.end);
    row
}

/// The row of a number that was deleted from the register.
pub fn deleted(number: InvoiceNumber, day: DataVersion) -> IssuerRow<'static> {
    superseded(number, &DELETED.to_string(), day.to_string().into())
}

fn superseded(
    number: InvoiceNumber,
    process: &str,
    updated: Cow<'static, str>,
) -> IssuerRow<'static> {
    let mut row = [const { Cow::Borrowed("") }; COLUMNS];
    row[0] = number.to_string().into();
    row[1] = process.to_owned().into();
    (row[2], row[5]) = (flag_text(false), flag_text(false));
    row[7] = updated;
    row
}
