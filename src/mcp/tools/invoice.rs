//! Qualified invoice issuers: checks whether the number on an invoice was registered on the day of the transaction.

use rmcp::schemars::{self, JsonSchema};
use serde::{Deserialize, Serialize};

use crate::api::RequestTarget;
use crate::api::error::Code;
use crate::dataset::invoice::InvoiceData;
use crate::mcp::tool::{ApiClient, NonBlank, Tool, ToolError, number_segment};
use crate::snapshot::{Dataset, DatasetKind};

/// Digits of a registration number after its T.
const NUMBER_DIGITS: usize = 13;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct VerifyInvoiceNumber {
    /// A registration number (登録番号): T and thirteen digits; the T may be missing
    number: NonBlank,
    /// The day of the transaction, YYYY-MM-DD
    date: String,
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct Verified {
    /// Whether the number is registered on the day; null if the day is after the data, which do not know it
    registered: Option<bool>,
    /// Whether the data contain the number
    known: bool,
    /// Date of the data
    #[serde(skip_serializing_if = "Option::is_none")]
    version: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    issuer: Option<Issuer>,
}

/// The issuer. Names of individuals are not in the data
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[schemars(inline)]
struct Issuer {
    #[serde(skip_serializing_if = "String::is_empty")]
    name: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    kana: String,
    /// 屋号
    #[serde(skip_serializing_if = "String::is_empty")]
    trade_name: String,
    /// 登録年月日
    #[serde(skip_serializing_if = "Option::is_none")]
    registration_date: Option<String>,
    /// Day of revocation (取消年月日)
    #[serde(skip_serializing_if = "Option::is_none")]
    disposal_date: Option<String>,
    /// Day of lapse (失効年月日)
    #[serde(skip_serializing_if = "Option::is_none")]
    expire_date: Option<String>,
}

#[derive(Debug, Deserialize)]
struct LookupResponse {
    version: String,
    data: Issuer,
    registered_on_date: Option<bool>,
}

impl Tool for VerifyInvoiceNumber {
    const NAME: &'static str = "verify_invoice_number";
    const TITLE: &'static str = "Verify an invoice registration number (インボイス登録番号の確認)";
    const DESCRIPTION: &'static str = "Checks whether a registration number on a Japanese invoice (適格請求書 \
        発行事業者登録番号, T and thirteen digits) is registered on a day. Returns the name of the issuer and the \
        days of registration (登録), revocation (取消) and lapse (失効). An unknown number is not an error: the \
        answer has known false. Individuals (個人事業者) may be missing from the data.";
    const DATASET: Option<DatasetKind> = Some(InvoiceData::KIND);
    type Output = Verified;

    async fn call(self, client: &ApiClient) -> Result<Verified, ToolError> {
        let date = self.date;
        let mut number = number_segment(&self.number, Code::InvalidInvoiceNumber)?;
        number.make_ascii_uppercase();
        if number.len() == NUMBER_DIGITS && number.bytes().all(|digit| digit.is_ascii_digit()) {
            number.insert(0, 'T');
        }
        let target = RequestTarget::new("/v1/invoice").with_segment(&number);
        match client.get(target.with("date", &date)).await {
            Ok(LookupResponse { version, data, registered_on_date: registered }) => {
                Ok(Verified { registered, known: true, version: Some(version), issuer: Some(data) })
            }
            Err(error) if error.has_code(Code::NoSuchInvoiceIssuer) => {
                let data = client.api.data.load();
                let version =
                    data.catalog.invoice().latest().map(|data| data.version().to_string());
                // Days sort as texts. The API has checked the day.
                let is_known = version.as_ref().is_some_and(|version| date <= *version);
                let registered = is_known.then_some(false);
                Ok(Verified { registered, known: false, version, issuer: None })
            }
            Err(error) => Err(error),
        }
    }
}
