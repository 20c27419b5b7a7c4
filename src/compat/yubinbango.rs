//! yubinbango-data and ajaxzip3-data: `/data/100.js` with the address of each code, and `/yubinbango.js`, which is the
//! script for forms under the name that pages load. Their tag has no key, so under that name the script looks codes up at
//! `/yubinbango/v1/postalcode/…`, which answers as `/v1/postalcode/…` does and needs no key where this protocol needs none.
//!
//! `$yubin({"1000001":[13,"千代田区","千代田"],…});`: the prefecture's number, the municipality and the town; for an office
//! also its lot. The town of the first row of a code counts; floors stand without brackets.

use super::files::{Prefix, PrefixFiles, first_records};
use super::protocol::{FOREIGN, POSTAL, Protocol};
use super::script::push_string;
use super::town::town;
use crate::api::endpoint::{Content, Endpoint, Handler, Parameter, parameter};
use crate::api::error::ApiError;
use crate::api::executor::cost_budget::{CostBudget, HandlerError};
use crate::api::pipeline::params::ApiRequest;
use crate::api::pipeline::reply::Reply;
use crate::api::pipeline::tag::EntityTag;
use crate::api::resource::postal;
use crate::api::shape::Shape::Text;
use crate::api::words::words;
use crate::compat::script::JAVASCRIPT;
use crate::forms;
use crate::json::{push_code, push_number, put};
use crate::record::postal::PostalView;

pub const PROTOCOL: Protocol = Protocol {
    name: "yubinbango",
    endpoints: &[
        DATA.endpoint("/data/{prefix}.js", data, "/data/100.js"),
        Endpoint {
            path: "/yubinbango.js",
            needs: None,
            handler: Handler::Immediate(script),
            summary: words("The script for forms", "フォーム用スクリプト"),
            content: Content::Other(JAVASCRIPT),
            example: "/yubinbango.js",
            ..FOREIGN
        },
        Endpoint {
            path: "/yubinbango/v1/postalcode/{code}",
            handler: Handler::Immediate(postal::lookup),
            summary: words(
                "The records of a code for this script",
                "このスクリプト用の郵便番号のレコード",
            ),
            parameters: CODE,
            content: Content::Other("application/json"),
            example: "/yubinbango/v1/postalcode/1000001",
            ..POSTAL
        },
    ],
};

const CODE: &[Parameter] =
    &[parameter("code", Text, words("Seven digits", "7桁の数字"), "1000001")];

const DATA: PrefixFiles = PrefixFiles {
    kind: "yubinbango",
    digits: 3,
    media: JAVASCRIPT,
    has_offices: true,
    has_empty: true,
    write,
};

fn data(request: &ApiRequest<'_>, budget: &CostBudget<'_>) -> Result<Reply, HandlerError> {
    DATA.reply(request, budget)
}

fn write(_prefix: Prefix, records: &[PostalView<'_>], out: &mut Vec<u8>) {
    put(out, &["$yubin({"]);
    for (index, record) in first_records(records).iter().enumerate() {
        put(out, &[if index == 0 { "\"" } else { ",\"" }]);
        push_code::<7>(out, record.postal_code());
        put(out, &["\":["]);
        push_number(out, (record.city().jisx0402() / 1_000).into());
        put(out, &[","]);
        push_string(out, record.city().city().name.text);
        put(out, &[","]);
        match record.corporation() {
            None => {
                push_string(out, &town(record.town_raw().text, record.town_kana_raw().text).name);
            }
            Some(office) => {
                push_string(out, record.town_raw().text);
                put(out, &[","]);
                push_string(out, office.block_lot().text);
            }
        }
        put(out, &["]"]);
    }
    put(out, &["});"]);
}

fn script(request: &ApiRequest<'_>) -> Result<Reply, ApiError> {
    let text = forms::SCRIPT.text;
    let tag = EntityTag::of_bytes(text.as_bytes());
    let write = |out: &mut Vec<u8>| put(out, &[text]);
    Ok(Reply::foreign(&request.head.headers, tag, None, JAVASCRIPT, write))
}
