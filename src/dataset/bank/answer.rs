//! The answers with an institution and branches. From API version 2025-01-01 on a branch code returns an array, in
//! older versions the first of the branches that share it.

use super::members::{Branch, Institution};
use crate::dataset::bank::record::EntryView;
use crate::dataset::member::MemberValue;
use crate::json::{close_data, open_data, push_code, write_list};
use crate::text::codes::{ApiVersion, DataVersion};

/// The API version from which the branches of a code are an array.
pub const ARRAYS_SINCE: ApiVersion = ApiVersion::V2025_01_01;

/// Appends the institution and its branches by code; those that share a code are side by side.
pub fn write_branches<'s>(
    out: &mut Vec<u8>,
    api: ApiVersion,
    version: DataVersion,
    bank: EntryView<'s>,
    branches: impl Iterator<Item = EntryView<'s>>,
) {
    open_bank(out, api, version, bank);
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
        Branch(branch).write(out, api);
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
    open_bank(out, api, version, bank);
    out.extend_from_slice(b",\"branch\":");
    if api >= ARRAYS_SINCE {
        write_list(out, branches, |out, branch| Branch(branch).write(out, api));
    } else {
        branches.take(1).for_each(|branch| Branch(branch).write(out, api));
    }
    out.push(b'}');
    close_data(out);
}

fn open_bank(out: &mut Vec<u8>, api: ApiVersion, version: DataVersion, bank: EntryView<'_>) {
    open_data(out, version);
    out.extend_from_slice(b"{\"bank\":");
    Institution(bank).write(out, api);
}
