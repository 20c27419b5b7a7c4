//! The tools, a file for each subject, in the order in which agents see them.
//!
//! Each parses the members of the API's answer that an agent needs; docs/api.md describes the members.

mod address;
mod bank;
mod calendar;
mod corporate;
mod corporate_history;
mod invoice;
mod postal;

use super::tool::Entry;

pub const TOOLS: &[Entry] = &[
    Entry::of::<address::NormalizeAddress>(),
    Entry::of::<postal::LookupPostalCode>(),
    Entry::of::<postal::SearchPostalCodes>(),
    Entry::of::<corporate::LookupCorporation>(),
    Entry::of::<corporate::SearchCorporations>(),
    Entry::of::<invoice::VerifyInvoiceNumber>(),
    Entry::of::<bank::FindBanks>(),
    Entry::of::<bank::FindBranches>(),
    Entry::of::<calendar::CheckBusinessDay>(),
    Entry::of::<calendar::AddBusinessDays>(),
    Entry::of::<calendar::CountBusinessDays>(),
];
