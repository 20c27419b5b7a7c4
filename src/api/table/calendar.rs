//! The endpoints of holidays and business days.

use crate::api::calendar;
use crate::api::endpoint::Run::AtOnce;
use crate::api::endpoint::{Content, Endpoint};
use crate::api::parameter::Kind::{self, Pattern};
use crate::api::parameter::parameter;
use crate::api::shapes::calendar as calendar_shapes;
use crate::api::words::words;

/// A day, `YYYY-MM-DD` or without the zeros.
const DAY: Kind = Pattern("^[0-9]{4}-(0?[1-9]|1[0-2])-(0?[1-9]|[12][0-9]|3[01])$");

pub const ENDPOINTS: &[Endpoint] = &[
    Endpoint {
        path: "/v1/holidays",
        run: AtOnce(calendar::list),
        summary: words(
            "The holidays of a year or between two days",
            "年または期間の国民の祝日・休日",
        ),
        parameters: &[
            parameter(
                "year",
                Pattern("^[0-9]{4}$"),
                words("A year; wins over from and to", "西暦年。fromとtoより優先"),
                "2026",
            ),
            parameter("from", DAY, words("The first day", "期間の初日"), "2026-04-01"),
            parameter("to", DAY, words("The last day", "期間の末日"), "2027-03-31"),
        ],
        answer: words("The holidays with their titles, by date", "祝日・休日とその名称。日付順"),
        content: Content::Json(&calendar_shapes::HOLIDAYS),
        example: "/v1/holidays?from=2026-11-01&to=2026-11-30",
        ..Endpoint::GET
    },
    Endpoint {
        path: "/v1/businessdays/check",
        run: AtOnce(calendar::check),
        summary: words("Whether a day is a business day", "営業日かどうかの判定"),
        parameters: &[parameter("date", DAY, words("The day", "日付"), "2026-11-24").required()],
        answer: words("true or false", "trueまたはfalse"),
        content: Content::Json(&calendar_shapes::BUSINESS_DAY),
        example: "/v1/businessdays/check?date=2026-11-24",
        ..Endpoint::GET
    },
];
