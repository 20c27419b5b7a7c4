//! The columns of a corporation: those of the agency's full file from the second on, with the names of its elements.

use std::borrow::Cow;

use crate::compat::agency::answer::{Column, Form, Layout, Quotes, Row};
use crate::compat::agency::{code_text, date_text, flag_text};
use crate::dataset::corporate::record::CorporateView;
use crate::text::codes::{CorporateNumber, DataVersion};

const COLUMNS: usize = 29;

/// The process of an entry that withdraws a number.
const WITHDRAWN: &str = "99";

pub type CorporateRow<'s> = Row<'s, COLUMNS>;

const fn code(name: &'static str) -> Column {
    Column { name, quotes: Quotes::Never }
}

const fn text(name: &'static str) -> Column {
    Column { name, quotes: Quotes::UnlessEmpty }
}

pub const LAYOUT: Layout<COLUMNS> = Layout {
    root: "corporations",
    entry: "corporation",
    columns: [
        code("corporateNumber"),
        code("process"),
        code("correct"),
        code("updateDate"),
        code("changeDate"),
        text("name"),
        code("nameImageId"),
        code("kind"),
        text("prefectureName"),
        text("cityName"),
        text("streetNumber"),
        code("addressImageId"),
        code("prefectureCode"),
        code("cityCode"),
        code("postCode"),
        text("addressOutside"),
        code("addressOutsideImageId"),
        code("closeDate"),
        code("closeCause"),
        code("successorCorporateNumber"),
        text("changeCause"),
        code("assignmentDate"),
        code("latest"),
        text("enName"),
        text("enPrefectureName"),
        text("enCityName"),
        text("enAddressOutside"),
        text("furigana"),
        code("hihyoji"),
    ],
};

/// The forms of answers, by the words of `type`.
pub const FORMS: [(Form, &str); 3] =
    [(Form::CsvShiftJis, "01"), (Form::CsvUtf8, "02"), (Form::Xml, "12")];

/// The row of an entry; `is_latest` if the number has no newer one.
pub fn row<'s>(view: &CorporateView<'s>, is_latest: bool) -> CorporateRow<'s> {
    let place = view.place();
    let text = Cow::Borrowed::<'s, str>;
    [
        view.number().to_string().into(),
        code_text(Some(view.process()), 2),
        flag_text(view.correct()),
        date_text(view.update_date()),
        date_text(view.change_date()),
        view.name().to_string().into(),
        code_text(view.name_image(), 8),
        code_text(Some(view.kind()), 3),
        text(place.prefecture()),
        text(place.city()),
        view.street().to_string().into(),
        code_text(view.address_image(), 8),
        code_text(place.prefecture_code(), 2),
        code_text(place.jisx0402().map(|code| code % 1_000), 3),
        code_text(view.post_code(), 7),
        text(view.outside().text),
        code_text(view.outside_image(), 8),
        date_text(view.close_date().unwrap_or_default()),
        code_text(view.close_cause(), 2),
        view.successor().map_or(text(""), |number| number.to_string().into()),
        text(view.change_cause().text),
        date_text(view.assignment_date()),
        flag_text(is_latest),
        text(view.en_name().text),
        text(view.en_prefecture().text),
        text(view.en_city().text),
        text(view.en_outside().text),
        view.furigana().to_string().into(),
        flag_text(view.hihyoji()),
    ]
}

/// The row of a withdrawn number, which has nothing but the day.
pub fn withdrawn(number: CorporateNumber, day: DataVersion) -> CorporateRow<'static> {
    let mut row = [const { Cow::Borrowed("") }; COLUMNS];
    row[0] = number.to_string().into();
    row[1] = WITHDRAWN.into();
    row[3] = day.to_string().into();
    row
}
