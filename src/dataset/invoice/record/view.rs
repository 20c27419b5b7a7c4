//! An issuer's record read in place.
//!
//! Reading walks the record once and checks every bound: malformed bytes give `None`, never a panic.

use super::fields::{ADDRESSES, InvoiceFields, OptionalFields, PROCESSES, flag, read_day};
use super::{ArchivedInvoiceTables, INDIVIDUAL, Period, Registration};
use crate::dataset::reading::Reading;
use crate::record::Day;
use crate::record::codec::Cursor;
use crate::record::parts::AddressView;
use crate::record::strings::Text;
use crate::text::codes::InvoiceNumber;

#[derive(Clone, Copy)]
pub struct InvoiceView<'s> {
    number: InvoiceNumber,
    flags: u16,
    codes: u8,
    sequence_number: u32,
    published: Day,
    update: Day,
    pub registration: Registration,
    fields: OptionalFields<'s>,
    /// The text after prefecture and municipality of each used address.
    pub streets: [Option<Text<'s>>; ADDRESSES],
    /// The registered office, the office that the issuer asked to publish, and the office in Japan.
    pub addresses: [Option<AddressView<'s>>; ADDRESSES],
    /// Count and days of earlier registrations.
    earlier: &'s [u8],
    /// The record up to its streets.
    head: &'s [u8],
    /// Postal codes and parts of the addresses; empty if they were not normalised.
    normalised: &'s [u8],
}

impl<'s> InvoiceView<'s> {
    /// Reads a record whose municipalities are in these tables; without tables only up to its streets. `None` if
    /// the bytes are malformed.
    pub fn read(
        bytes: &'s [u8],
        tables: Option<&'s ArchivedInvoiceTables>,
    ) -> Option<InvoiceView<'s>> {
        let mut cursor = Cursor { rest: bytes };
        let digits: [u8; 6] = cursor.take(6)?.try_into().ok()?;
        let [a, b, c, d, e, f] = digits;
        let number = InvoiceNumber::from_digits(u64::from_le_bytes([a, b, c, d, e, f, 0, 0]))?;
        let [low, high]: [u8; 2] = cursor.take(2)?.try_into().ok()?;
        let flags = u16::from_le_bytes([low, high]);
        let codes = cursor.byte()?;
        let sequence_number = cursor.number()?;
        let published = Day(cursor.signed()?);
        let update = published.plus_days(cursor.signed()?);
        let fields = OptionalFields::read(flags, &mut cursor)?;
        let registration = Registration {
            process: PROCESSES[usize::from(codes & 7) % PROCESSES.len()],
            latest: flags & flag::LATEST != 0,
            registration_date: fields.registered,
            disposal_date: fields.disposed,
            expire_date: fields.expires,
        };
        let head = &bytes[..bytes.len() - cursor.rest.len()];
        let mut view = InvoiceView {
            number,
            flags,
            codes,
            sequence_number,
            published,
            update,
            registration,
            fields,
            streets: [fields.office, fields.requested, fields.in_japan],
            addresses: [None; ADDRESSES],
            earlier: &[],
            head,
            normalised: &[],
        };
        if let Some(tables) = tables {
            view.read_tail(cursor, tables)?;
        }
        Some(view)
    }

    fn read_tail(
        &mut self,
        mut cursor: Cursor<'s>,
        tables: &'s ArchivedInvoiceTables,
    ) -> Option<()> {
        if self.has(flag::EARLIER) {
            self.earlier = cursor.rest;
            for _ in 0..cursor.number()? {
                read_day(&mut cursor)?;
                cursor.signed()?;
            }
        }
        for (address, street) in self.addresses.iter_mut().zip(self.streets) {
            let Some(street) = street else { continue };
            let place = tables.places.get(cursor.number()? as usize)?;
            *address = Some(AddressView { place, street, postal_code: 0, parts: None });
        }
        if self.has(flag::NORMALISED) {
            self.normalised = cursor.rest;
            for address in self.addresses.iter_mut().flatten() {
                address.postal_code = cursor.three_bytes()?;
                address.parts = Some(cursor.bytes()?);
            }
        }
        Some(())
    }

    pub fn number(&self) -> InvoiceNumber {
        self.number
    }

    pub fn sequence_number(&self) -> u32 {
        self.sequence_number
    }

    /// The date of the file that the entry came from, as 20260731; the other dates have the same form.
    pub fn published_date(&self) -> u32 {
        self.published.date()
    }

    pub fn update_date(&self) -> u32 {
        self.update.date()
    }

    /// Whether it is registered on this day according to the register.
    pub fn is_registered_on(&self, date: u32) -> bool {
        self.registration.is_in_force_on(date)
            || self.earlier().any(|period| period.is_in_force_on(date))
    }

    pub fn correct(&self) -> bool {
        self.has(flag::CORRECT)
    }

    /// 1 individual, 2 other; `None` in superseded entries. The same holds for the country.
    pub fn kind(&self) -> Option<u8> {
        Some(self.codes >> 3 & 3).filter(|kind| *kind != 0)
    }

    pub fn country(&self) -> Option<u8> {
        Some(self.codes >> 5 & 3).filter(|country| *country != 0)
    }

    /// Whether it is an individual's. A superseded entry does not say so: a corporation has a number with a right check
    /// digit.
    pub fn is_individual(&self) -> bool {
        let assumed = || !self.number.corporate().is_sound();
        self.kind().map_or_else(assumed, |kind| kind == INDIVIDUAL)
    }

    pub fn name(&self) -> Text<'s> {
        self.text(self.fields.name)
    }

    /// Reading of the name; without kana if there is none.
    pub fn kana(&self) -> Reading<'s> {
        Reading::new(self.fields.kana, self.has(flag::KANA_TEXT))
    }

    pub fn trade_name(&self) -> Text<'s> {
        self.text(self.fields.trade_name)
    }

    pub fn popular_name(&self) -> Text<'s> {
        self.text(self.fields.popular_name)
    }

    /// Past registrations, ascending.
    pub fn earlier(&self) -> impl Iterator<Item = Period> + use<'s> {
        let mut cursor = Cursor { rest: self.earlier };
        let count = cursor.number().unwrap_or_default();
        (0..count).map_while(move |_| {
            let start = read_day(&mut cursor)?;
            let end = start.plus_days(cursor.signed()?);
            Some(Period { start: start.date(), end: end.date() })
        })
    }

    /// The record up to its streets, and the postal codes and parts after them if it was normalised.
    pub fn bytes(&self) -> (&'s [u8], Option<&'s [u8]>) {
        (self.head, self.has(flag::NORMALISED).then_some(self.normalised))
    }

    /// The fields of this record. `kana` is the buffer of the reading.
    pub fn fields<'a>(&self, kana: &'a mut String) -> InvoiceFields<'a>
    where
        's: 'a,
    {
        kana.clear();
        kana.push_str(&self.kana().to_string());
        InvoiceFields {
            number: self.number,
            sequence_number: self.sequence_number,
            published: self.published_date(),
            correct: self.correct(),
            kind: self.kind().unwrap_or_default(),
            country: self.country().unwrap_or_default(),
            update_date: self.update_date(),
            registration: self.registration,
            name: self.name().text,
            kana,
            trade_name: self.trade_name().text,
            popular_name: self.popular_name().text,
            streets: self.streets.map(|street| street.map(|street| street.text)),
        }
    }

    fn has(&self, flag: u16) -> bool {
        self.flags & flag != 0
    }

    fn text(&self, bytes: &'s [u8]) -> Text<'s> {
        Text::unmarked(std::str::from_utf8(bytes).unwrap_or_default())
    }
}

#[cfg(test)]
#[path = "view_tests.rs"]
mod tests;
