//! The answers with corporations, and what their records depend on beside the data.
//!
//! The number of a qualified invoice issuer is `T` and the corporate number, or `null`. The loaded register decides,
//! else the register that the snapshot was built with; in a snapshot built without one, every corporation has the
//! number.

use std::sync::Arc;

use super::members::Corporation;
use crate::dataset::address::{Place, PreparedPlace};
use crate::dataset::corporate::CorporateData;
use crate::dataset::corporate::record::{CorporateView, OfficePlaceView};
use crate::dataset::invoice::InvoiceData;
use crate::dataset::member::{Fragments, MemberValue, Members};
use crate::dataset::name::Naming;
use crate::json::{QueryOutcome, close_data, open_data, write_query_outcome};
use crate::record::Text;
use crate::snapshot::OpenError;
use crate::text::codes::{ApiVersion, DataVersion};

/// The API version from which a record has an address object, and the number of an invoice issuer.
const OBJECT_SINCE: ApiVersion = ApiVersion::V2024_01_01;

/// The place members of every place of one version of the corporate data, from API version 2024-01-01 on.
#[derive(Debug, Default)]
pub struct PlaceFragments(Fragments);

impl PlaceFragments {
    /// Empty: the members are formatted for each record.
    pub const NONE: &'static PlaceFragments = &PlaceFragments(Fragments::NONE);

    /// Writes the members of every place; some 1,900 of 200 bytes each.
    pub fn new(data: &CorporateData) -> Result<PlaceFragments, Arc<OpenError>> {
        let places = data.places()?.map(|(place, _rows)| place);
        let write = |out: &mut Vec<u8>, place| {
            Place::Office(place, Text::EMPTY).write_members(out, ApiVersion::NEWEST);
        };
        Ok(PlaceFragments(Fragments::new(places, write)))
    }

    /// The members of this place, unless the record has a name of the prefecture of its own.
    pub fn get(&self, place: OfficePlaceView<'_>, en_prefecture: Text<'_>) -> Option<&[u8]> {
        self.0.get(place.number()?).filter(|_| en_prefecture.text.is_empty())
    }
}

/// Appends the answer with one corporation. Fails only if the register of issuers is damaged.
pub fn write_corporation(
    out: &mut Vec<u8>,
    form: &CorporateForm<'_>,
    view: &CorporateView<'_>,
) -> Result<(), Arc<OpenError>> {
    open_data(out, form.version);
    write_corporate_record(out, form, view)?;
    close_data(out);
    Ok(())
}

pub fn write_corporate_search(
    out: &mut Vec<u8>,
    form: &CorporateForm<'_>,
    data: &CorporateData,
    outcome: &QueryOutcome<'_>,
) -> Result<(), Arc<OpenError>> {
    open_data(out, form.version);
    let mut separator = b'[';
    for row in &outcome.found.rows {
        let Some(view) = data.row(*row)? else { continue };
        out.push(separator);
        separator = b',';
        write_corporate_record(out, form, &view)?;
    }
    out.extend_from_slice(if separator == b'[' { b"[]," } else { b"]," });
    write_query_outcome(out, outcome);
    close_data(out);
    Ok(())
}

#[derive(Debug, Clone, Copy)]
pub struct CorporateForm<'a> {
    pub api: ApiVersion,
    pub version: DataVersion,
    pub naming: Naming,
    pub places: &'a PlaceFragments,
    /// The register that decides who is a qualified invoice issuer; without it the record does.
    pub register: Option<&'a InvoiceData>,
}

impl<'a> CorporateForm<'a> {
    /// A corporation with all that its members are read from.
    #[inline]
    pub fn record<'s>(&self, view: CorporateView<'s>) -> Result<Corporation<'s>, Arc<OpenError>>
    where
        'a: 's,
    {
        let (place, en_prefecture) = (view.place(), view.en_prefecture());
        let bytes = match self.api >= OBJECT_SINCE {
            true => self.places.get(place, en_prefecture),
            false => None,
        };
        let place = PreparedPlace { members: Place::Office(place, en_prefecture), bytes };
        let is_issuer = self.is_issuer(&view)?;
        Ok(Corporation { view, place, naming: self.naming, is_issuer })
    }

    /// Whether a corporation is a qualified invoice issuer on the day of the data version.
    pub fn is_issuer(&self, view: &CorporateView<'_>) -> Result<bool, Arc<OpenError>> {
        match self.register.filter(|_| self.api >= OBJECT_SINCE) {
            Some(register) => register.is_registered(view.number(), self.version.number()),
            None => Ok(view.is_issuer),
        }
    }
}

impl CorporateForm<'static> {
    /// The form of the newest API version, with names as published and without prepared parts.
    pub fn newest(version: DataVersion) -> CorporateForm<'static> {
        let (naming, places) = (Naming::Published, PlaceFragments::NONE);
        CorporateForm { api: ApiVersion::NEWEST, version, naming, places, register: None }
    }
}

pub fn write_corporate_record(
    out: &mut Vec<u8>,
    form: &CorporateForm<'_>,
    view: &CorporateView<'_>,
) -> Result<(), Arc<OpenError>> {
    form.record(*view)?.write(out, form.api);
    Ok(())
}
