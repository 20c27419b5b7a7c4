//! The endpoints of holidays and business days.

use super::parameters::data;
use crate::api::endpoint::Handler::{Budgeted, Immediate};
use crate::api::endpoint::{Content, Endpoint, Parameter, parameter};
use crate::api::resource::calendar;
use crate::api::shape::Shape::{self, Bool, Date, List, OneNumber, OneOf, Pattern, Text, Whole};
use crate::api::shape::{Member, Object, member};
use crate::api::words::{Words, words};

/// A day, `YYYY-MM-DD` or without the zeros.
const DAY: Shape = Pattern("^[0-9]{4}-(0?[1-9]|1[0-2])-(0?[1-9]|[12][0-9]|3[01])$");

/// As many business days as may be added, back in time where negative.
const DAYS: Shape = Pattern("^-?([0-9]{1,4}|10000)$");

const CALENDAR: Parameter = parameter(
    "calendar",
    OneOf(&["national", "bank"]),
    words(
        "The calendar of business days: national (default) excludes Saturdays, Sundays and holidays; bank also excludes December 31 to January 3",
        "営業日の暦。土日と祝日・休日を除く（national、既定）、さらに12月31日から1月3日を除く（bank）",
    ),
    "bank",
);

pub const ENDPOINTS: &[Endpoint] = &[
    Endpoint {
        path: "/v1/holidays",
        handler: Budgeted(calendar::list),
        summary: words(
            "The holidays of a year or between two days",
            "年または期間の国民の祝日・休日",
        ),
        parameters: &[
            parameter(
                "year",
                Pattern("^[0-9]{4}$"),
                words("A year; overrides from and to", "西暦年。fromとtoより優先"),
                "2026",
            ),
            parameter("from", DAY, words("The first day", "期間の初日"), "2026-04-01"),
            parameter("to", DAY, words("The last day", "期間の末日"), "2027-03-31"),
        ],
        answer: words(
            "The holidays with their titles, ordered by date",
            "祝日・休日とその名称。日付順",
        ),
        content: Content::Json(&HOLIDAYS),
        example: "/v1/holidays?from=2026-11-01&to=2026-11-30",
        uses_holidays: true,
        ..Endpoint::GET
    },
    Endpoint {
        path: "/v1/businessdays/check",
        handler: Immediate(calendar::check),
        summary: words("Whether a day is a business day", "営業日かどうかの判定"),
        parameters: &[
            parameter("date", DAY, words("The day", "日付"), "2026-11-24").required(),
            CALENDAR,
        ],
        answer: words("true or false", "trueまたはfalse"),
        content: Content::Json(&BUSINESS_DAY),
        example: "/v1/businessdays/check?date=2026-11-24",
        uses_holidays: true,
        ..Endpoint::GET
    },
    Endpoint {
        path: "/v1/businessdays/add",
        handler: Immediate(calendar::add),
        summary: words(
            "The day a number of business days after or before a day",
            "指定した営業日数だけ後または前の日",
        ),
        parameters: &[
            parameter(
                "date",
                DAY,
                words("The day to count from, not counted itself", "起算日（数えない）"),
                "2026-11-20",
            )
            .required(),
            parameter(
                "days",
                DAYS,
                words(
                    "Number of business days, -10000 to 10000; negative numbers count backwards",
                    "営業日数。-10000から10000、負の数は過去へ",
                ),
                "5",
            )
            .required(),
            CALENDAR,
        ],
        answer: words("The resulting day, always a business day", "その日。必ず営業日"),
        content: Content::Json(&DAY_FOUND),
        example: "/v1/businessdays/add?date=2026-11-20&days=5",
        uses_holidays: true,
        ..Endpoint::GET
    },
    Endpoint {
        path: "/v1/businessdays/between",
        handler: Immediate(calendar::between),
        summary: words("The number of business days between two days", "2つの日付の間の営業日数"),
        parameters: &[
            parameter(
                "from",
                DAY,
                words("The first day, not counted", "期間の初日（数えない）"),
                "2026-11-20",
            )
            .required(),
            parameter(
                "to",
                DAY,
                words("The last day, counted", "期間の末日（数える）"),
                "2026-12-31",
            )
            .required(),
            CALENDAR,
        ],
        answer: words("The number of business days", "営業日数"),
        content: Content::Json(&DAYS_COUNTED),
        example: "/v1/businessdays/between?from=2026-11-20&to=2026-12-31",
        uses_holidays: true,
        ..Endpoint::GET
    },
];

const WEEKDAYS: Shape =
    OneOf(&["sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"]);

#[rustfmt::skip] // One member a line.
const HOLIDAY: Shape = Shape::Object(&Object::new("Holiday", &[
    member("title", Text, words("Its name", "名称")),
    member("date", Date, words("Date", "日付")),
    member("day_of_week", OneNumber(&[0, 1, 2, 3, 4, 5, 6]), words("0 for Sunday", "曜日。日曜が0")),
    member("day_of_week_text", WEEKDAYS, words("The same as a word", "曜日（英語）")),
]));

const LISTED: Member = data(List(&HOLIDAY), words("The holidays", "祝日・休日"));
pub static HOLIDAYS: Object = Object::new("Holidays", &[LISTED]);

const fn result(shape: Shape, meaning: Words) -> Member {
    member("result", shape, meaning)
}

const IS_ONE: Member = result(Bool, words("Whether it is one", "営業日かどうか"));
pub static BUSINESS_DAY: Object = Object::new("BusinessDay", &[IS_ONE]);

const RESULT_DAY: Member = result(Date, words("The business day", "営業日"));
pub static DAY_FOUND: Object = Object::new("BusinessDayFound", &[RESULT_DAY]);

const COUNT: Shape = Whole { min: 0, max: u32::MAX as u64 };
const COUNTED: Member = result(COUNT, words("How many there are", "営業日数"));
pub static DAYS_COUNTED: Object = Object::new("BusinessDayCount", &[COUNTED]);
