//! The members of an account of Japan Post Bank, which has two names ([`YuchoAccount`]).

use super::members::{BRANCH, Branch};
use super::record::EntryView;
use crate::dataset::member::shape::Shape::{OneOf, Pattern};
use crate::dataset::member::{Digits, members};
use crate::text::codes::YuchoAccount;

/// An account and its branch in the directory.
#[derive(Clone, Copy)]
pub struct PlacedAccount<'s> {
    pub account: YuchoAccount,
    pub bank: EntryView<'s>,
    pub branch: EntryView<'s>,
}

members! {
    /// An account of Japan Post Bank.
    pub const YUCHO_ACCOUNT: "YuchoAccount" of it: PlacedAccount<'_>;
    "symbol": Pattern("^[01][0-9]{3}0$") => it.account.symbol().to_string(), "Symbol (記号), with its check digit", "記号（検査数字を含む5桁）";
    "number": Pattern("^[0-9]{1,8}$") => it.account.number().to_string(), "Number (番号), without zeros in front", "番号（先頭の0を除く）";
    "bank_code": Pattern("^[0-9]{4}$") => Digits::<4>(it.bank.code().into()), "Code of the institution", "金融機関コード";
    "branch": BRANCH => Branch(it.branch), "The branch for transfers (店番, 店名)", "振込用の店番と店名";
    "account_type": OneOf(&["ordinary", "current"]) => it.account.account_type().name(), "ordinary (総合口座, 通常貯金 or 通常貯蓄貯金; the symbol does not say which) or current (振替口座, 当座預金)", "ordinaryは総合口座・通常貯金・通常貯蓄貯金（記号からは区別できない）、currentは振替口座（当座預金）";
    "account_number": Pattern("^[0-9]{7}$") => Digits::<7>(it.account.account()), "Account number for transfers, seven digits", "振込用の口座番号（7桁）";
}
