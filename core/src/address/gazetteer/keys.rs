//! Sorted names as UTF-16 units. The names with a common prefix are a range; one more unit narrows it.

use std::ops::Range;

use rkyv::{Archive, Serialize};

/// Names in one or more groups, each sorted by units.
#[derive(Debug, Clone, Default, Archive, Serialize)]
pub struct Keys {
    units: Vec<u16>,
    /// Start of each name in `units`, and the end of the last.
    starts: Vec<u32>,
}

impl Keys {
    /// The names in this order; the caller must sort the groups that will be searched.
    pub fn build<'a>(names: impl IntoIterator<Item = &'a [u16]>) -> Keys {
        let mut keys = Keys { units: Vec::new(), starts: vec![0] };
        for name in names {
            keys.units.extend_from_slice(name);
            let end = u32::try_from(keys.units.len()).expect("a month's names are some megabytes");
            keys.starts.push(end);
        }
        keys
    }
}

impl ArchivedKeys {
    /// Whether every name is inside the units, which all other functions rely on.
    pub fn check(&self) -> bool {
        let ends = self.starts.last().map(|end| end.to_native() as usize);
        let ascending = self.starts.windows(2).all(|pair| pair[0] <= pair[1]);
        ascending && ends == Some(self.units.len())
    }

    pub fn count(&self) -> usize {
        self.starts.len().saturating_sub(1)
    }

    /// The number of units of a name.
    #[inline]
    pub fn length(&self, name: usize) -> usize {
        (self.starts[name + 1].to_native() - self.starts[name].to_native()) as usize
    }

    /// The unit of a name after its first `depth` units; `None` if the name is not longer.
    #[inline]
    pub fn unit(&self, name: usize, depth: usize) -> Option<u16> {
        let (start, end) = (self.starts[name].to_native(), self.starts[name + 1].to_native());
        let index = start as usize + depth;
        if index < end as usize { Some(self.units[index].to_native()) } else { None }
    }

    pub fn units(&self, name: usize) -> &[rkyv::rend::u16_le] {
        let (start, end) = (self.starts[name].to_native(), self.starts[name + 1].to_native());
        &self.units[start as usize..end as usize]
    }

    pub fn codes(&self, name: usize) -> impl DoubleEndedIterator<Item = u16> + Clone {
        self.units(name).iter().map(|unit| unit.to_native())
    }

    /// Among names with a common beginning of `depth` units, those whose next unit is `code`.
    #[inline]
    pub fn narrow(&self, names: &Range<usize>, depth: usize, code: u16) -> Range<usize> {
        let start = self.first_from(names.clone(), depth, code);
        // Most ranges are short, so an end near the start is tried before a binary search.
        let mut end = start;
        while end < names.end {
            if self.unit(end, depth) != Some(code) {
                return start..end;
            }
            end += 1;
            if end - start == 8 {
                let Some(next) = code.checked_add(1) else { return start..names.end };
                return start..self.first_from(end..names.end, depth, next);
            }
        }
        start..end
    }

    /// Among names with a common beginning of `depth` units, those that continue with `codes`.
    pub fn narrow_by(
        &self,
        names: Range<usize>,
        depth: usize,
        codes: impl IntoIterator<Item = u16>,
    ) -> Range<usize> {
        let codes = codes.into_iter().zip(depth..);
        codes.fold(names, |names, (code, depth)| self.narrow(&names, depth, code))
    }

    /// Narrows `names` to the names that are exactly the first `depth` units followed by `rest`.
    pub fn with_rest(
        &self,
        names: Range<usize>,
        depth: usize,
        rest: impl Iterator<Item = u16> + Clone,
    ) -> Range<usize> {
        let longer = self.narrow_by(names, depth, rest.clone());
        self.with_length(&longer, depth + rest.count())
    }

    pub fn equals(&self, name: usize, codes: impl IntoIterator<Item = u16>) -> bool {
        self.codes(name).eq(codes)
    }

    /// Among names with a common beginning of `depth` units, those that have no more.
    pub fn with_length(&self, names: &Range<usize>, depth: usize) -> Range<usize> {
        let count = names.clone().take_while(|name| self.length(*name) == depth).count();
        names.start..names.start + count
    }

    /// The first name whose unit at `depth` is at least `code`.
    #[inline]
    fn first_from(&self, names: Range<usize>, depth: usize, code: u16) -> usize {
        let (mut low, mut high) = (names.start, names.end);
        while low < high {
            let middle = low + (high - low) / 2;
            if self.unit(middle, depth).is_none_or(|unit| unit < code) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        low
    }
}
