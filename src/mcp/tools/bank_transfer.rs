//! What a bank transfer needs: the account of Japan Post Bank under both of its names, and the name of a payee.

use rmcp::schemars::{self, JsonSchema};
use serde::{Deserialize, Serialize};

use crate::api::RequestTarget;
use crate::dataset::bank::BankData;
use crate::mcp::tool::{ApiClient, NonBlank, Tool, ToolError, Versioned};
use crate::snapshot::{Dataset, DatasetKind};

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ConvertYuchoAccount {
    /// Symbol (記号) in the passbook, five digits such as 10010; send it with number
    symbol: Option<NonBlank>,
    /// Number (番号) in the passbook, up to eight digits
    number: Option<NonBlank>,
    /// Branch code (店番) as other banks name the account, three digits such as 008; send it with account_number
    branch_code: Option<NonBlank>,
    /// Account number (口座番号) as other banks name the account, up to seven digits
    account_number: Option<NonBlank>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct YuchoAccountFound {
    /// Date of the data that name the branch
    version: String,
    #[serde(flatten)]
    account: Account,
}

/// An account of Japan Post Bank
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[schemars(inline)]
struct Account {
    /// 記号
    symbol: String,
    /// 番号
    number: String,
    /// 金融機関コード
    bank_code: String,
    branch: Branch,
    /// ordinary (総合口座, 通常貯金 or 通常貯蓄貯金; the symbol does not say which) or current (振替口座, 当座預金)
    account_type: String,
    /// 口座番号, seven digits
    account_number: String,
}

#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[schemars(inline)]
struct Branch {
    /// 店番, three digits
    code: String,
    /// 店名
    name: String,
    /// Reading of the name
    katakana: String,
}

impl Tool for ConvertYuchoAccount {
    const NAME: &'static str = "convert_yucho_account";
    const TITLE: &'static str =
        "Convert an account of Japan Post Bank (ゆうちょ銀行 記号番号・店番)";
    const DESCRIPTION: &'static str = "Converts an account of Japan Post Bank (ゆうちょ銀行) between its two \
        names: symbol and number (記号番号) in the passbook, and branch code and account number (店番・口座番号) \
        for transfers from other banks. Send either pair; the answer has both. Check digits are verified, but \
        nobody can say whether the account exists.";
    const DATASET: Option<DatasetKind> = Some(BankData::KIND);
    type Output = YuchoAccountFound;

    async fn call(self, client: &ApiClient) -> Result<YuchoAccountFound, ToolError> {
        let ConvertYuchoAccount { symbol, number, branch_code, account_number } = self;
        let mut target = RequestTarget::new("/v1/bank/yucho");
        for (parameter, value) in [
            ("symbol", symbol),
            ("number", number),
            ("branch_code", branch_code),
            ("account_number", account_number),
        ] {
            if let Some(value) = value {
                target = target.with(parameter, value.as_str());
            }
        }
        let Versioned { version, data: account } = client.get(target).await?;
        Ok(YuchoAccountFound { version, account })
    }
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct WriteTransferName {
    /// Name of the payee as it is written, such as 株式会社台帳 or ダイチョウ タロウ
    name: NonBlank,
    /// Reading of the name in kana, if it is known; without the kind of corporation
    reading: Option<NonBlank>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct TransferName {
    /// Date of the data of corporations; absent if they were not used
    #[serde(skip_serializing_if = "Option::is_none")]
    version: Option<String>,
    #[serde(flatten)]
    payee: Payee,
}

/// The name of a payee for transfers
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[schemars(inline)]
struct Payee {
    /// The name in half-width kana with the abbreviations of the banks, such as ｶ)ﾀﾞｲﾁﾖｳ; absent if the reading is unknown
    #[serde(skip_serializing_if = "Option::is_none")]
    transfer_name: Option<String>,
    /// Where the reading is from: given (the arguments) or corporation (the register); absent if it is unknown
    #[serde(skip_serializing_if = "Option::is_none")]
    reading_from: Option<String>,
    /// The letters whose reading is unknown
    #[serde(skip_serializing_if = "String::is_empty")]
    unread: String,
    /// Open corporations of this name with their registered readings, at most ten
    #[serde(skip_serializing_if = "Vec::is_empty")]
    corporations: Vec<Namesake>,
}

#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[schemars(inline)]
struct Namesake {
    corporate_number: String,
    name: String,
    /// Reading of the name in katakana
    #[serde(skip_serializing_if = "String::is_empty")]
    furigana: String,
    /// Absent if the register has no reading
    #[serde(skip_serializing_if = "Option::is_none")]
    transfer_name: Option<String>,
}

impl Tool for WriteTransferName {
    const NAME: &'static str = "write_transfer_name";
    const TITLE: &'static str = "Write a name for a bank transfer (振込名義)";
    const DESCRIPTION: &'static str = "Writes the name of a payee as bank transfers in Japan do (振込名義): in \
        half-width kana, with the abbreviations of the banks' rules, such as ｶ) for 株式会社. The reading is \
        taken from a name in kana, from reading, or from the register of corporations, which needs the plan \
        premium. A reading is never guessed: if it is unknown, transfer_name is absent and unread has the \
        letters to ask for.";
    const DATASET: Option<DatasetKind> = None;
    type Output = TransferName;

    async fn call(self, client: &ApiClient) -> Result<TransferName, ToolError> {
        /// The version is null if no data of corporations were used.
        #[derive(Deserialize)]
        struct Named {
            version: Option<String>,
            data: Payee,
        }
        let mut target =
            RequestTarget::new("/v1/bank/transfer-name").with("name", self.name.as_str());
        if let Some(reading) = self.reading {
            target = target.with("reading", reading.as_str());
        }
        let Named { version, data: payee } = client.get(target).await?;
        Ok(TransferName { version, payee })
    }
}
