//! The rows of grams that the added rows have and the previous index does not list, and of which no shorter gram became
//! frequent or common.
//!
//! Such a gram had too few rows. It is listed now only if the added rows make them enough, which is rare: in most cases the
//! lists of its shorter grams rule that out, and no text has to be read.

use super::added::Key;
use super::previous::{Previous, RenewFault};
use crate::index::grams::dictionary::common;
use crate::index::grams::growing::Growing;

/// A gram, and the added rows that have it.
pub type AddedTexts = (Key, Vec<u32>);

/// A gram that may have enough rows. Its kept rows had both of its shorter grams: their previous numbers, the more
/// frequent one first, and the number of kept rows that are needed.
struct Wanted {
    added: AddedTexts,
    shorter: [u32; 2],
    least: usize,
}

/// Finds all rows of the grams that may have to be listed. `origin` gives the previous number of a gram, `text` writes the
/// folded text of a row.
pub fn rows(
    grams: Vec<AddedTexts>,
    previous: &Previous<'_>,
    index: &Growing,
    origin: impl Fn(u32) -> Option<u32>,
    mut text: impl FnMut(u32, &mut Vec<char>),
) -> Result<Vec<AddedTexts>, RenewFault> {
    let threshold = index.threshold();
    let (mut found, mut wanted) = (Vec::new(), Vec::new());
    for added in grams {
        let Key { parent, suffix, .. } = added.0;
        let Some(origins) = origin(parent).zip(origin(suffix)) else {
            return Err(RenewFault::Previous { expected: "the texts of its grams" });
        };
        let mut shorter = <[u32; 2]>::from(origins);
        shorter.sort_by_key(|gram| std::cmp::Reverse((previous.count(*gram), *gram)));
        let is_common = shorter.iter().all(|gram| previous.count(*gram) > common(threshold));
        if is_common || shorter[0] == shorter[1] {
            // The previous index would have listed it, however rare it was: no kept row has it.
            found.push(added);
        } else {
            let least = (threshold as usize + 1).saturating_sub(added.1.len());
            wanted.push(Wanted { added, shorter, least });
        }
    }
    wanted.sort_by_key(|it| it.shorter);
    for same in wanted.chunk_by_mut(|left, right| left.shorter[0] == right.shorter[0]) {
        let Some(first) = same.first() else { continue };
        let set = previous.row_set(first.shorter[0])?;
        for Wanted { added: (key, added), shorter, least } in same {
            let Some(mut rows) = previous.rows_among(&set, shorter[1], *least)? else { continue };
            let mut gram = index.dictionary().letters(key.parent);
            gram.push(key.last);
            retain(&mut rows, &index.dictionary().characters(&gram), &mut text);
            rows.append(added);
            rows.sort_unstable();
            found.push((*key, rows));
        }
    }
    Ok(found)
}

/// Keeps the rows whose text has a gram.
fn retain(rows: &mut Vec<u32>, gram: &[char], mut text: impl FnMut(u32, &mut Vec<char>)) {
    let mut letters = Vec::new();
    rows.retain(|row| {
        letters.clear();
        text(*row, &mut letters);
        letters.windows(gram.len()).any(|window| window == gram)
    });
}
