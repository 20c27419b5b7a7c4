//! Suggestions in JSON: the text to put into a field, the members of the record, how it matches.

use super::bank::write_members;
use super::write::{push_code, push_number, push_string, put, write_data, write_list};
use crate::query::suggest::bank::SuggestedEntry;
use crate::text::codes::{BankCode, DataVersion};
use crate::text::suggested::Marks;

pub fn write_suggested_banks(
    out: &mut Vec<u8>,
    version: DataVersion,
    banks: &[SuggestedEntry<'_>],
) {
    write_data(out, version, banks.iter(), |out, bank| {
        write_suggestion(out, &bank.text, &bank.marks, |out| write_members::<4>(out, bank.entry));
    });
}

/// Appends branches of the institution of this code.
pub fn write_suggested_branches(
    out: &mut Vec<u8>,
    version: DataVersion,
    bank: BankCode,
    branches: &[SuggestedEntry<'_>],
) {
    write_data(out, version, branches.iter(), |out, branch| {
        write_suggestion(out, &branch.text, &branch.marks, |out| {
            write_members::<3>(out, branch.entry);
            out.extend_from_slice(b",\"bank_code\":\"");
            push_code::<4>(out, bank.number().into());
            out.push(b'"');
        });
    });
}

/// Appends one suggestion; `members` appends what its record has, without braces.
pub(super) fn write_suggestion(
    out: &mut Vec<u8>,
    text: &str,
    marks: &Marks,
    members: impl FnOnce(&mut Vec<u8>),
) {
    out.extend_from_slice(b"{\"text\":");
    push_string(out, text);
    out.push(b',');
    members(out);
    put(out, &[",\"match\":\"", marks.matched.word(), "\",\"highlight\":"]);
    write_list(out, marks.highlight.iter(), |out, [start, end]| {
        out.push(b'[');
        push_number(out, *start as u64);
        out.push(b',');
        push_number(out, *end as u64);
        out.push(b']');
    });
    out.push(b'}');
}
