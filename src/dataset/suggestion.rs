//! The members that every suggestion has beside those of its record: the text, and how it matches what was typed.

use super::member::shape::Shape::{self, List, OneOf, Text, Tuple, Whole};
use super::member::{MemberValue, members};
use crate::export::Cells;
use crate::json::write_list;
use crate::record::StoredText;
use crate::text::codes::ApiVersion;
use crate::text::typed_keys::{MatchInfo, MatchKind};

pub struct SuggestedText<'a>(pub StoredText<'a>);

members! {
    members of it: SuggestedText<'_>;
    "text": Text => it.0, "Text to put into the input field", "入力欄に入れる文字列";
}

pub struct Match<'a>(pub &'a MatchInfo);

members! {
    members of it: Match<'_>;
    "match": OneOf(MatchKind::NAMES) => it.0.kind.name(), "Kind of match: the text or code begins with q (prefix), the reading begins with q in kana (reading) or Roman letters (roman), q is inside the text (inside), one letter differs (near), a former name begins with q, of a school contains it (former_name), a name that the operator gave begins with q (alias)", "一致のしかた。表記またはコードの前方一致（prefix）、読みのかな（reading）またはローマ字（roman）の前方一致、途中の一致（inside）、1文字違い（near）、以前の名称の前方一致、学校では部分一致（former_name）、運用者が登録した別名の前方一致（alias）";
    "highlight": List(&RANGE) => Ranges(&it.0.highlight), "The parts of text that match the typed text: start and end in UTF-16 code units, as for slice() in JavaScript", "textのうち入力された部分。開始と終了（JavaScriptのslice()と同じUTF-16単位）";
}

const OFFSET: Shape = Whole { min: 0, max: u64::MAX };
const RANGE: Shape = Tuple(&[OFFSET, OFFSET]);

/// Pairs of start and end.
struct Ranges<'a>(&'a [[usize; 2]]);

impl MemberValue for Ranges<'_> {
    const SHAPE: Shape = List(&RANGE);

    fn write(self, out: &mut Vec<u8>, api: ApiVersion) {
        write_list(out, self.0.iter(), |out, range| {
            write_list(out, range.iter(), |out, offset| (*offset as u64).write(out, api));
        });
    }

    /// Suggestions are not exported.
    fn fill(self, cells: &mut Cells<'_>) {
        cells.leave_null(1);
    }
}
