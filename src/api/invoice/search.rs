//! `GET /v1/invoice`: qualified invoice issuers by name and reading.
//!
//! The register has no search index of its own: the query searches the newest register of corporations, restricted
//! to those registered on the day of the invoice data. Issuers that are not in the register of corporations, such
//! as individuals, are found by number only.

use crate::api::ask::Ask;
use crate::api::corporate::search::SearchParams;
use crate::api::effort::{Effort, NotDone};
use crate::api::reply::Reply;
use crate::api::version::latest;
use crate::json;
use crate::snapshot::Dataset;
use crate::text::codes::InvoiceNumber;

use super::lookup::open;

pub fn search(ask: &Ask<'_>, effort: &Effort<'_>) -> Result<Reply, NotDone> {
    let register = open(ask)?;
    let asked = SearchParams::read(&ask.params, ask.api.grouping)?;
    let corporations = latest(ask.data.catalog.corporate())?.data;
    let version = register.version();
    let requested = register.beside(corporations.file());
    let are_known = ask.data.are_issuers_known(requested.data);
    effort.need_ready(corporations.is_search_checked() && are_known)?;
    let search = asked.search();
    let cost = corporations.search_cost(&search, true);
    effort.weigh(&cost.map_err(|error| requested.damaged(ask, &error))?, "q", asked.q())?;
    requested.searched(ask, effort, "q", |out| {
        let issuers = ask.data.issuers(corporations, requested.data)?;
        let found = corporations.search_within_budget(&search, Some(&issuers), &effort.work)?;
        let mut records = Vec::with_capacity(found.rows.len());
        for row in &found.rows {
            let number = InvoiceNumber::from_corporate(corporations.record(*row)?.number());
            records.extend(requested.data.lookup(number)?);
        }
        let outcome = asked.outcome(&found);
        json::write_invoice_search(out, version, &records, asked.naming, &outcome);
        Ok(())
    })
}
