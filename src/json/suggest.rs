//! Suggestions in JSON: the text for the field, the members of the record, and how it matches.

use super::bank::write_members;
use super::corporate::{push_corporate_number, push_reading};
use super::write::{
    code, digits_or_null, flag, member, or_null, push_number, push_string, put, string, write_data,
    write_list,
};
use crate::dataset::bank::suggest::SuggestedEntry;
use crate::dataset::corporate::suggest::SuggestedCorporation;
use crate::dataset::postal::suggest::Suggestion;
use crate::text::codes::{BankCode, DataVersion};
use crate::text::match_info::MatchInfo;

pub fn write_suggested_banks(
    out: &mut Vec<u8>,
    version: DataVersion,
    banks: &[SuggestedEntry<'_>],
) {
    write_data(out, version, banks.iter(), |out, bank| {
        write_suggestion(out, &bank.text, &bank.match_info, |out| {
            write_members::<4>(out, bank.entry)
        });
    });
}

pub fn write_suggested_branches(
    out: &mut Vec<u8>,
    version: DataVersion,
    bank: BankCode,
    branches: &[SuggestedEntry<'_>],
) {
    write_data(out, version, branches.iter(), |out, branch| {
        write_suggestion(out, &branch.text, &branch.match_info, |out| {
            write_members::<3>(out, branch.entry);
            code::<4>(out, ",\"bank_code\":\"", bank.number().into());
            out.push(b'"');
        });
    });
}

pub fn write_suggested_corporations(
    out: &mut Vec<u8>,
    version: DataVersion,
    corporations: &[SuggestedCorporation<'_>],
) {
    write_data(
        out,
        version,
        corporations.iter(),
        |out, SuggestedCorporation { view, match_info }| {
            write_suggestion(out, view.name().text, match_info, |out| {
                out.extend_from_slice(b"\"corporate_number\":\"");
                push_corporate_number(out, view.number());
                member(out, "\",\"name\":\"", view.name());
                out.extend_from_slice(b"\",\"furigana\":\"");
                push_reading(out, view.furigana());
                digits_or_null::<7>(out, "\",\"postal_code\":", view.post_code());
                let place = view.place();
                string(out, ",\"prefecture\":", place.prefecture());
                string(out, ",\"city\":", place.city());
                string(out, ",\"address\":", &view.inland_address());
                flag(out, ",\"closed\":", view.is_closed());
            });
        },
    );
}

/// Appends one suggestion; `members` appends the members of its record, without braces.
pub(super) fn write_suggestion(
    out: &mut Vec<u8>,
    text: &str,
    match_info: &MatchInfo,
    members: impl FnOnce(&mut Vec<u8>),
) {
    string(out, "{\"text\":", text);
    out.push(b',');
    members(out);
    put(out, &[",\"match\":\"", match_info.kind.name(), "\",\"highlight\":"]);
    write_list(out, match_info.highlight.iter(), |out, [start, end]| {
        out.push(b'[');
        push_number(out, *start as u64);
        out.push(b',');
        push_number(out, *end as u64);
        out.push(b']');
    });
    out.push(b'}');
}

pub fn write_suggested_addresses(
    out: &mut Vec<u8>,
    version: DataVersion,
    places: &[Suggestion<'_>],
) {
    write_data(out, version, places.iter(), |out, place| {
        write_suggestion(out, &place.text, &place.match_info, |out| write_place(out, place));
    });
}

fn write_place(out: &mut Vec<u8>, place: &Suggestion<'_>) {
    digits_or_null::<7>(out, "\"postal_code\":", place.postal_code);
    digits_or_null::<5>(out, ",\"jisx0402\":", place.jisx0402);
    for (name, [text, kana]) in
        [("prefecture", place.prefecture), ("city", place.city), ("town", place.town)]
    {
        put(out, &[",\"", name, "\":"]);
        push_string(out, text);
        put(out, &[",\"", name, "_kana\":"]);
        push_string(out, kana);
    }
    put(out, &[",\"level\":\"", place.level.name(), "\",\"codes\":"]);
    push_number(out, place.codes.into());
    or_null(out, ",\"parent\":", place.parent.as_deref());
}
