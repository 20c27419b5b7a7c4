//! The endpoints that suggest while somebody types.

use super::parameters::{BANK, VERSION};
use crate::account::Service;
use crate::api::endpoint::Run::AtOnce;
use crate::api::endpoint::{Content, Endpoint};
use crate::api::error::Code;
use crate::api::parameter::Kind::{Text, Whole};
use crate::api::parameter::{Parameter, parameter};
use crate::api::shapes::suggest as suggest_shapes;
use crate::api::suggest;
use crate::api::suggest::params::SUGGESTIONS_MAX;
use crate::api::words::words;

const TYPED: Parameter = parameter(
    "q",
    Text,
    words(
        "What was typed: the beginning of a name or its reading, in kanji, kana or Roman letters, or digits of the code",
        "入力された文字。名称または読みの先頭（漢字、かな、カナ、ローマ字）、またはコードの先頭の数字",
    ),
    "みず",
)
.required();

const SUGGESTIONS: Parameter = parameter(
    "limit",
    Whole { min: 1, max: SUGGESTIONS_MAX },
    words("Most suggestions, 1 to 20; 10 unless given", "返す候補の上限。1から20、省略すると10"),
    "5",
);

const GET: Endpoint = Endpoint { errors: &[Code::MissingQuery], ..Endpoint::GET };

pub const ENDPOINTS: &[Endpoint] = &[
    Endpoint {
        path: "/v1/suggest/bank",
        needs: Some(Service::Bank),
        run: AtOnce(suggest::bank::banks),
        summary: words("Institutions while their name is typed", "金融機関名の入力補完"),
        parameters: &[TYPED, SUGGESTIONS, VERSION],
        answer: words("The institutions, the most likely first", "金融機関。有力な候補から順"),
        content: Content::Json(&suggest_shapes::BANKS),
        example: "/v1/suggest/bank?q=%E3%81%A0%E3%81%84&limit=3",
        ..GET
    },
    Endpoint {
        path: "/v1/suggest/branch",
        needs: Some(Service::Bank),
        run: AtOnce(suggest::bank::branches),
        summary: words("Branches while their name is typed", "支店名の入力補完"),
        parameters: &[BANK.required(), TYPED, SUGGESTIONS, VERSION],
        answer: words(
            "The branches of the institution, the most likely first",
            "その金融機関の支店。有力な候補から順",
        ),
        content: Content::Json(&suggest_shapes::BRANCHES),
        errors: &[Code::MissingQuery, Code::InvalidBankCode, Code::NoSuchBank],
        example: "/v1/suggest/branch?bank=0001&q=mihon",
        ..GET
    },
];
