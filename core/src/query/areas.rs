//! Areas as ranges of rows: the rows of a facet path, and the counts of found rows by area; the results of searches
//! that have such counts.
//!
//! Rows are in area order, so an area is a range of rows, and a prefecture a range of areas. Knows names and rows.
//! Does not know the dataset.

use std::cmp::Reverse;
use std::ops::Range;

use super::syntax::FacetPath;
use crate::index::row_set::RowSet;

/// The name of an area for which the source has none.
pub const UNNAMED: &str = "その他";

/// A facet's name and the children of its path with their counts, the largest first, then by path.
pub type FacetCounts = (&'static str, Vec<(String, u64)>);

/// One page of the results of a search for corporations or schools, with the count of all.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SearchResults {
    /// The requested rows, best first.
    pub rows: Vec<u32>,
    /// How many rows the search found in all.
    pub count: u64,
    /// The requested facets, in the order of the API.
    pub facets: Vec<FacetCounts>,
}

/// A range of rows with one prefecture and city.
#[derive(Debug, Clone)]
pub struct Area {
    pub prefecture: String,
    /// `None` if the prefecture has no children.
    pub city: Option<String>,
    pub rows: Range<u32>,
}

#[derive(Debug, Default)]
pub struct Areas {
    areas: Vec<Area>,
    /// The areas of each prefecture, as indexes.
    prefectures: Vec<Range<usize>>,
}

impl Areas {
    /// From areas in the order of their rows.
    pub fn new(areas: Vec<Area>) -> Areas {
        let mut prefectures = Vec::new();
        let mut start = 0;
        for run in areas.chunk_by(|left, right| left.prefecture == right.prefecture) {
            prefectures.push(start..start + run.len());
            start += run.len();
        }
        Areas { areas, prefectures }
    }

    pub fn all(&self) -> &[Area] {
        &self.areas
    }

    /// The rows of a path; empty if it does not exist.
    pub fn rows(&self, path: &FacetPath) -> Vec<Range<u32>> {
        let found = self.areas.iter().filter(|area| match path.names() {
            [] => true,
            [prefecture] => area.prefecture == *prefecture,
            [prefecture, city, ..] => {
                area.prefecture == *prefecture && area.city.as_ref() == Some(city)
            }
        });
        merge_adjacent(found.map(|area| area.rows.clone()))
    }

    /// The rows of a path's children, ascending, with their names; one name may have several ranges.
    fn children(&self, path: &FacetPath) -> Vec<(&str, Range<u32>)> {
        match path.names() {
            [] => {
                let runs = self.prefectures.iter().filter_map(|run| self.areas.get(run.clone()));
                let whole = runs.filter_map(|run| {
                    let (first, last) = (run.first()?, run.last()?);
                    Some((first.prefecture.as_str(), first.rows.start..last.rows.end))
                });
                whole.collect()
            }
            [prefecture] => {
                let below = self.areas.iter().filter(|area| area.prefecture == *prefecture);
                below.filter_map(|area| Some((area.city.as_deref()?, area.rows.clone()))).collect()
            }
            _ => Vec::new(),
        }
    }

    /// The nonempty children of a path, the largest first, then by path; `count` counts ascending ranges.
    pub fn facets(
        &self,
        path: &FacetPath,
        count: impl FnOnce(&[Range<u32>]) -> Vec<u64>,
    ) -> Vec<(String, u64)> {
        let children = self.children(path);
        let ranges: Vec<Range<u32>> = children.iter().map(|(_, rows)| rows.clone()).collect();
        let names = children.iter().map(|(name, _)| *name);
        let counts = names.zip(count(&ranges)).filter(|(_, count)| *count > 0);
        let mut counts: Vec<(&str, u64)> = counts.collect();
        // UTF-8 sorts in the order of code points.
        counts.sort_unstable_by_key(|(name, _)| *name);
        counts.dedup_by(|next, kept| {
            let same = next.0 == kept.0;
            kept.1 += if same { next.1 } else { 0 };
            same
        });
        let parent = path.names().iter().fold(String::new(), |path, name| path + "/" + name);
        let paths = counts.into_iter().map(|(name, count)| ([&parent, "/", name].concat(), count));
        largest_first(paths.collect())
    }
}

/// Paths with counts other than 0, the largest first, then by path.
pub fn largest_first(mut counts: Vec<(String, u64)>) -> Vec<(String, u64)> {
    counts.retain(|(_, count)| *count > 0);
    counts.sort_unstable_by(|left, right| {
        (Reverse(left.1), &left.0).cmp(&(Reverse(right.1), &right.0))
    });
    counts
}

/// How many rows of a set each range contains.
pub fn counts_in(set: &RowSet, ranges: &[Range<u32>]) -> Vec<u64> {
    let count = |it: &Range<u32>| set.count_range(it.start as usize..it.end as usize);
    ranges.iter().map(count).collect()
}

/// Ascending ranges, with adjacent ones merged.
pub fn merge_adjacent(ranges: impl Iterator<Item = Range<u32>>) -> Vec<Range<u32>> {
    let mut out: Vec<Range<u32>> = Vec::new();
    for range in ranges {
        match out.last_mut() {
            Some(last) if last.end == range.start => last.end = range.end,
            _ => out.push(range),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn areas() -> Areas {
        let area = |prefecture: &str, city: &str, rows: Range<u32>| Area {
            prefecture: prefecture.to_owned(),
            city: (!city.is_empty()).then(|| city.to_owned()),
            rows,
        };
        Areas::new(vec![
            area("北海道", "その他", 0..2),
            area("北海道", "札幌市", 2..5),
            area("東京都", "港区", 5..6),
            area("東京都", "港", 6..8),
            area("東京都", "港区", 8..10),
            area("海外など", "", 10..13),
        ])
    }

    #[test]
    fn children_add_up_to_their_parent() {
        #[track_caller]
        fn check(path: &str, expected: &[(&str, u64)]) {
            let path = FacetPath::parse(path).expect("a path");
            let count = |ranges: &[Range<u32>]| ranges.iter().map(|it| it.len() as u64).collect();
            let found = areas().facets(&path, count);
            let found: Vec<(&str, u64)> =
                found.iter().map(|(path, n)| (path.as_str(), *n)).collect();
            assert_eq!(found, expected, "{path}");
            let sum: u64 = found.iter().map(|(_, count)| count).sum();
            let rows: u64 = areas().rows(&path).iter().map(|it| it.len() as u64).sum();
            assert!(sum == rows || found.is_empty(), "{path}");
        }
        check("/", &[("/北海道", 5), ("/東京都", 5), ("/海外など", 3)]);
        check("/北海道", &[("/北海道/札幌市", 3), ("/北海道/その他", 2)]);
        check("/東京都", &[("/東京都/港区", 3), ("/東京都/港", 2)]);
        check("/東京都/港区", &[]);
        check("/海外など", &[]);
        check("/大阪府", &[]);
    }

    #[test]
    fn paths_are_ranges_of_rows() {
        type Ends = Vec<(u32, u32)>;
        let rows = |path: &str| -> Ends {
            let rows = areas().rows(&FacetPath::parse(path).expect(path));
            rows.iter().map(|it| (it.start, it.end)).collect()
        };
        assert_eq!(rows("/"), [(0, 13)]);
        assert_eq!(rows("/東京都"), [(5, 10)]);
        assert_eq!(rows("/東京都/港区"), [(5, 6), (8, 10)]);
        assert_eq!(rows("/海外など"), [(10, 13)]);
        assert_eq!([rows("/海外など/その他"), rows("/海外")], [vec![], vec![]]);
    }
}
