//! The rows of grams that rows that came have and the earlier index does not list, while no shorter gram in them passed a bound.
//!
//! They were in so few rows that they were not listed, and they are now only if the rows that came make them enough. Most
//! are far from it: whether they can be follows from the lists of their shorter grams, before any text is read.

use super::came::Key;
use super::earlier::{Earlier, RenewFault};
use crate::index::grams::dictionary::common;
use crate::index::grams::growing::Growing;

/// A gram, and the rows that came and have it.
pub type Came = (Key, Vec<u32>);

/// A gram that may be in enough rows that stayed, which both its shorter ones had: their earlier numbers, the more frequent one
/// first, and how many such rows are needed.
struct Wanted {
    came: Came,
    shorter: [u32; 2],
    least: usize,
}

/// Finds all rows of those grams that may be listed. `origin` gives the earlier number of a gram, `text` writes the folded text
/// of a row.
pub fn rows(
    grams: Vec<Came>,
    earlier: &Earlier<'_>,
    index: &Growing,
    origin: impl Fn(u32) -> Option<u32>,
    mut text: impl FnMut(u32, &mut Vec<char>),
) -> Result<Vec<Came>, RenewFault> {
    let threshold = index.threshold();
    let (mut found, mut wanted) = (Vec::new(), Vec::new());
    for came in grams {
        let Key { parent, suffix, .. } = came.0;
        let Some(origins) = origin(parent).zip(origin(suffix)) else {
            return Err(RenewFault::Earlier { expected: "the texts of its grams" });
        };
        let mut shorter = <[u32; 2]>::from(origins);
        shorter.sort_by_key(|gram| std::cmp::Reverse((earlier.count(*gram), *gram)));
        let is_common = shorter.iter().all(|gram| earlier.count(*gram) > common(threshold));
        if is_common || shorter[0] == shorter[1] {
            // However rare it was, it would have been listed.
            found.push(came);
        } else {
            let least = (threshold as usize + 1).saturating_sub(came.1.len());
            wanted.push(Wanted { came, shorter, least });
        }
    }
    wanted.sort_by_key(|it| it.shorter);
    for same in wanted.chunk_by_mut(|left, right| left.shorter[0] == right.shorter[0]) {
        let Some(first) = same.first() else { continue };
        let set = earlier.row_set(first.shorter[0])?;
        for Wanted { came: (key, came), shorter, least } in same {
            let Some(mut rows) = earlier.rows_among(&set, shorter[1], *least)? else { continue };
            let mut gram = index.dictionary().letters(key.parent);
            gram.push(key.last);
            retain(&mut rows, &index.dictionary().characters(&gram), &mut text);
            rows.append(came);
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
