//! The tools, a file for each subject, in the order in which agents see them.
//!
//! Each parses the members of the API's answer that an agent needs; docs/api.md describes the members.

mod address;
mod bank;
mod bank_transfer;
mod calendar;
mod corporate;
mod invoice;
mod matching;
mod place;
mod postal;
mod reading;
mod school;

use super::tool::ToolEntry;

pub const TOOLS: &[ToolEntry] = &[
    ToolEntry::new::<address::NormalizeAddress>(),
    ToolEntry::new::<postal::LookupPostalCode>(),
    ToolEntry::new::<postal::SearchPostalCodes>(),
    ToolEntry::new::<place::FindTownsNear>(),
    ToolEntry::new::<corporate::LookupCorporation>(),
    ToolEntry::new::<corporate::SearchCorporations>(),
    ToolEntry::new::<matching::MatchCorporation>(),
    ToolEntry::new::<invoice::VerifyInvoiceNumber>(),
    ToolEntry::new::<bank::FindBanks>(),
    ToolEntry::new::<bank::FindBranches>(),
    ToolEntry::new::<bank_transfer::ConvertYuchoAccount>(),
    ToolEntry::new::<bank_transfer::WriteTransferName>(),
    ToolEntry::new::<school::FindSchools>(),
    ToolEntry::new::<calendar::CheckBusinessDay>(),
    ToolEntry::new::<calendar::AddBusinessDays>(),
    ToolEntry::new::<calendar::CountBusinessDays>(),
];
