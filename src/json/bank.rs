//! Banks and branches in JSON: five fields each. From API version 2025-01-01 on a branch code returns an array, in
//! older versions the first of the branches that share it.

use super::write::{close_data, code, member, open_data, push_code, write_data, write_list};
use crate::dataset::bank::record::EntryView;
use crate::text::codes::{ApiVersion, DataVersion};

/// The API version from which the branches of a code are an array.
pub const ARRAYS_SINCE: ApiVersion = ApiVersion::V2025_01_01;

pub fn write_banks<'s>(
    out: &mut Vec<u8>,
    version: DataVersion,
    banks: impl Iterator<Item = EntryView<'s>>,
) {
    write_data(out, version, banks, write_entry::<4>);
}

pub fn write_bank(out: &mut Vec<u8>, version: DataVersion, bank: EntryView<'_>) {
    open_data(out, version);
    write_entry::<4>(out, bank);
    close_data(out);
}

/// Appends the institution and its branches by code; those that share a code are side by side.
pub fn write_branches<'s>(
    out: &mut Vec<u8>,
    api: ApiVersion,
    version: DataVersion,
    bank: EntryView<'s>,
    branches: impl Iterator<Item = EntryView<'s>>,
) {
    open_bank(out, version, bank);
    out.extend_from_slice(b",\"branches\":{");
    let has_arrays = api >= ARRAYS_SINCE;
    let mut last = None;
    for branch in branches {
        let is_shared = last == Some(branch.code());
        if is_shared && !has_arrays {
            continue;
        }
        match (last, is_shared) {
            (None, _) => {}
            (Some(_), true) => out.push(b','),
            (Some(_), false) => out.extend_from_slice(if has_arrays { b"]," } else { b"," }),
        }
        if !is_shared {
            out.push(b'"');
            push_code::<3>(out, branch.code().into());
            out.extend_from_slice(if has_arrays { b"\":[" } else { b"\":" });
        }
        write_entry::<3>(out, branch);
        last = Some(branch.code());
    }
    if last.is_some() && has_arrays {
        out.push(b']');
    }
    out.extend_from_slice(b"}}");
    close_data(out);
}

/// Appends the answer with an institution and the branches of one code, of which there is one or more.
pub fn write_branch<'s>(
    out: &mut Vec<u8>,
    api: ApiVersion,
    version: DataVersion,
    bank: EntryView<'s>,
    branches: impl Iterator<Item = EntryView<'s>>,
) {
    open_bank(out, version, bank);
    out.extend_from_slice(b",\"branch\":");
    if api >= ARRAYS_SINCE {
        write_list(out, branches, write_entry::<3>);
    } else {
        branches.take(1).for_each(|branch| write_entry::<3>(out, branch));
    }
    out.push(b'}');
    close_data(out);
}

fn open_bank(out: &mut Vec<u8>, version: DataVersion, bank: EntryView<'_>) {
    open_data(out, version);
    out.extend_from_slice(b"{\"bank\":");
    write_entry::<4>(out, bank);
}

fn write_entry<const DIGITS: usize>(out: &mut Vec<u8>, entry: EntryView<'_>) {
    out.push(b'{');
    write_members::<DIGITS>(out, entry);
    out.push(b'}');
}

/// The five members of an institution or a branch, whose code has so many digits.
pub(super) fn write_members<const DIGITS: usize>(out: &mut Vec<u8>, entry: EntryView<'_>) {
    code::<DIGITS>(out, "\"code\":\"", entry.code().into());
    member(out, "\",\"name\":\"", entry.name());
    member(out, "\",\"katakana\":\"", entry.katakana());
    member(out, "\",\"hiragana\":\"", entry.hiragana());
    member(out, "\",\"romaji\":\"", entry.romaji());
    out.push(b'"');
}
