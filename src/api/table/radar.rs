//! The endpoints of the radar, declared once for both registers. The tables of corporations and invoice issuers take
//! them from here.

use crate::account::Rights;
use crate::api::endpoint::Handler::Store;
use crate::api::endpoint::{Content, Endpoint, Parameter, parameter};
use crate::api::error::Code;
use crate::api::limits::RADAR_BODY_BYTES_MAX;
use crate::api::resource::radar::{RadarRegister, add, changed, list, remove};
use crate::api::shape::Object;
use crate::api::shape::Shape::Date;
use crate::api::words::{Words, words};

/// What differs between the registers. A list of two words is the summary and the answer.
pub struct RadarTexts {
    pub list_path: &'static str,
    pub list: [Words; 2],
    pub add_path: &'static str,
    pub add: [Words; 2],
    pub add_errors: &'static [Code],
    pub remove_path: &'static str,
    pub remove: [Words; 2],
    pub remove_errors: &'static [Code],
    pub changed_path: &'static str,
    pub changed: [Words; 2],
    pub changed_example: &'static str,
    /// The numbers in an answer, and in a request.
    pub numbers: &'static Object,
    pub body: &'static Object,
    pub body_example: &'static str,
}

const DAY: &[Parameter] = &[parameter("date", Date, words("The day", "日付"), "2026-08-04")];

/// Lists, adds and removes watched numbers, and lists those that changed on a day.
pub const fn endpoints<R: RadarRegister>(texts: &RadarTexts) -> [Endpoint; 4] {
    let post = Endpoint {
        needs: Some(Rights::RADAR),
        body_bytes_max: RADAR_BODY_BYTES_MAX,
        body: Some(texts.body),
        example_body: texts.body_example,
        ..Endpoint::POST
    };
    let get = Endpoint {
        needs: Some(Rights::RADAR),
        content: Content::Json(texts.numbers),
        ..Endpoint::GET
    };
    [
        Endpoint {
            path: texts.list_path,
            handler: Store(list::<R>),
            summary: texts.list[0],
            answer: texts.list[1],
            errors: &[Code::WebhookMissing],
            example: texts.list_path,
            ..get
        },
        Endpoint {
            path: texts.add_path,
            handler: Store(add::<R>),
            summary: texts.add[0],
            answer: texts.add[1],
            content: Content::Json(texts.numbers),
            errors: texts.add_errors,
            example: texts.add_path,
            ..post
        },
        Endpoint {
            path: texts.remove_path,
            handler: Store(remove::<R>),
            summary: texts.remove[0],
            answer: texts.remove[1],
            errors: texts.remove_errors,
            example: texts.remove_path,
            ..post
        },
        Endpoint {
            path: texts.changed_path,
            handler: Store(changed::<R>),
            summary: texts.changed[0],
            parameters: DAY,
            answer: texts.changed[1],
            errors: &[Code::InvalidDate, Code::NoSuchDate, Code::WebhookMissing, Code::DamagedData],
            example: texts.changed_example,
            ..get
        },
    ]
}
