//! Holidays and business days.

use super::members::data;
use crate::api::shape::Shape::{self, Bool, Date, List, OneNumber, OneOf, Text, Whole};
use crate::api::shape::{Member, Object, member};
use crate::api::words::{Words, words};

const DAYS: Shape =
    OneOf(&["sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"]);

#[rustfmt::skip] // One member a line.
const HOLIDAY: Shape = Shape::Object(&Object::new("Holiday", &[
    member("title", Text, words("Its name", "名称")),
    member("date", Date, words("Date", "日付")),
    member("day_of_week", OneNumber(&[0, 1, 2, 3, 4, 5, 6]), words("0 for Sunday", "曜日。日曜が0")),
    member("day_of_week_text", DAYS, words("The same as a word", "曜日（英語）")),
]));

const LISTED: Member = data(List(&HOLIDAY), words("The holidays", "祝日・休日"));
pub static HOLIDAYS: Object = Object::new("Holidays", &[LISTED]);

const fn result(shape: Shape, meaning: Words) -> Member {
    member("result", shape, meaning)
}

const IS_ONE: Member = result(Bool, words("Whether it is one", "営業日かどうか"));
pub static BUSINESS_DAY: Object = Object::new("BusinessDay", &[IS_ONE]);

const DAY: Member = result(Date, words("The business day", "営業日"));
pub static DAY_FOUND: Object = Object::new("BusinessDayFound", &[DAY]);

const COUNT: Shape = Whole { min: 0, max: u32::MAX as u64 };
const COUNTED: Member = result(COUNT, words("How many there are", "営業日数"));
pub static DAYS_COUNTED: Object = Object::new("BusinessDayCount", &[COUNTED]);
