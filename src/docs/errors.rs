//! `/docs/errors`: every error code with its status, its title and what to do. The code is the anchor, to which
//! `type` in the body of an error links.

use maud::html;

use super::pages::{ERRORS, Language};
use crate::api::error::Code;
use crate::api::words::{Words, words};

const ABOUT: Words = words(
    "The body of an error is JSON with type, title, status, code, detail and, if a parameter caused the error, \
     parameter. The meaning of a code never changes, so programs may rely on it.",
    "エラーのボディはJSONで、type、title、status、code、detailがあり、原因のパラメーターがあればparameterもあります。codeの意味は\
     変わらないので、プログラムの判定に使えます。",
);

const STATUS: Words = words("Status", "ステータス");
const TITLE: Words = words("Title", "意味");
const REMEDY: Words = words("What to do", "対処");

pub fn body(language: Language) -> String {
    html! {
        h1 { (language.text(ERRORS.title)) }
        p { (language.text(ABOUT)) }
        div.table {
            table {
                tr {
                    th { "code" }
                    @for heading in [STATUS, TITLE, REMEDY] { th { (language.text(heading)) } }
                }
                @for code in Code::ALL {
                    tr id=(code.as_str()) {
                        td { code { (code.as_str()) } }
                        td { (code.status().as_u16()) }
                        td { (language.text(code.title())) }
                        td { (language.text(code.remedy())) }
                    }
                }
            }
        }
    }
    .into_string()
}
