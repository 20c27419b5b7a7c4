//! Holidays and business days.

use crate::api::shape::Shape::{self, Bool, Date, List, OneNumber, OneOf, Text, Whole};
use crate::api::shape::{Object, member};
use crate::api::words::words;

const DAYS: Shape =
    OneOf(&["sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"]);

#[rustfmt::skip] // One member a line.
static HOLIDAY: Object = Object::new("Holiday", &[
    member("title", Text, words("Its name", "名称")),
    member("date", Date, words("Date", "日付")),
    member("day_of_week", OneNumber(&[0, 1, 2, 3, 4, 5, 6]), words("0 for Sunday", "曜日。日曜が0")),
    member("day_of_week_text", DAYS, words("The same as a word", "曜日（英語）")),
]);

static HOLIDAY_LIST: Object = Object::new(
    "Holidays",
    &[member("data", List(&Shape::Object(&HOLIDAY)), words("The holidays", "祝日・休日"))],
);
pub static HOLIDAYS: Shape = Shape::Object(&HOLIDAY_LIST);

static RESULT: Object = Object::new(
    "BusinessDay",
    &[member("result", Bool, words("Whether it is one", "営業日かどうか"))],
);
pub static BUSINESS_DAY: Shape = Shape::Object(&RESULT);

static FOUND: Object =
    Object::new("BusinessDayFound", &[member("result", Date, words("The business day", "営業日"))]);
pub static DAY_FOUND: Shape = Shape::Object(&FOUND);

static COUNTED: Object = Object::new(
    "BusinessDayCount",
    &[member(
        "result",
        Whole { min: 0, max: u32::MAX as u64 },
        words("How many there are", "営業日数"),
    )],
);
pub static DAYS_COUNTED: Shape = Shape::Object(&COUNTED);
