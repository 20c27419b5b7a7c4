//! The history of a corporation: the members of a change, and the answer.

use super::history::{Change, ChangeKind};
use crate::dataset::member::codes::{CORPORATE_NUMBER, DATE_OR_NULL, TEXT_OR_NULL};
use crate::dataset::member::shape::Shape::{Date, OneNumber, OneOf, OrNull};
use crate::dataset::member::{Day, MemberValue, members};
use crate::json::{close_data, push_version, write_list};
use crate::text::codes::{ApiVersion, CorporateNumber, DataVersion};

members! {
    /// A change of a corporation.
    pub const CHANGE: "CorporateChange" of it: &Change;
    "date": DATE_OR_NULL => Day::or_none(it.date), "The day of the change, or null if the register does not give it", "変更の日。公表データから分からなければnull";
    "version": Date => it.version, "The oldest loaded version with the change", "変更が最初に現れた、読み込まれているバージョン";
    "kind": OneOf(ChangeKind::WORDS) => it.kind.word(), "Kind of change", "変更の種類";
    "before": TEXT_OR_NULL => it.before.as_deref(), "The name, reading or address before, or null", "変更前の名称、フリガナまたは所在地。なければnull";
    "after": TEXT_OR_NULL => it.after.as_deref(), "The same after the change, or null", "変更後の値。なければnull";
    "change_cause": TEXT_OR_NULL => it.cause.as_deref(), "Details of the cause from the register, such as a merger", "変更事由の詳細（合併など）。なければnull";
    "close_cause": OrNull(&OneNumber(&[1, 11, 21, 31])) => it.close_cause, "Cause of closing; null for other changes", "登記記録の閉鎖等の事由。閉鎖でなければnull";
    "successor_corporate_number": OrNull(&CORPORATE_NUMBER) => it.successor, "Successor after a merger, or null", "承継先法人番号。なければnull";
}

pub fn write_history(
    out: &mut Vec<u8>,
    api: ApiVersion,
    version: DataVersion,
    number: CorporateNumber,
    changes: &[Change],
) {
    out.extend_from_slice(b"{\"version\":\"");
    push_version(out, version);
    out.extend_from_slice(b"\",\"corporate_number\":");
    number.write(out, api);
    out.extend_from_slice(b",\"data\":");
    write_list(out, changes.iter(), |out, change| change.write(out, api));
    close_data(out);
}
