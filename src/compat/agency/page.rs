//! Pages: the parameter `divide` asks for one of them, the header of an answer says how many there are.

use std::ops::Range;

/// The most rows of an answer.
pub const PAGE_ROWS: usize = 2_000;

/// The last number of a page.
pub const PAGE_MAX: u32 = 99_999;

/// The number of a page, from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Page(u32);

impl Page {
    pub const FIRST: Page = Page(1);

    pub fn new(number: u32) -> Option<Page> {
        (1..=PAGE_MAX).contains(&number).then_some(Page(number))
    }

    pub fn number(self) -> u32 {
        self.0
    }

    /// The rows of this page among `count`; none past the last page.
    pub fn rows(self, count: usize) -> Range<usize> {
        let start = (self.0 as usize - 1) * PAGE_ROWS;
        start.min(count)..(start + PAGE_ROWS).min(count)
    }
}

/// How many pages `count` rows have; 0 for none.
pub fn page_count(count: usize) -> usize {
    count.div_ceil(PAGE_ROWS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_has_two_thousand_rows_and_the_last_one_the_rest() {
        let page = |number| Page::new(number).expect("a page");
        for (number, count, expected) in [
            (1, 0, 0..0),
            (1, 1, 0..1),
            (1, 2_000, 0..2_000),
            (2, 2_000, 2_000..2_000),
            (2, 2_001, 2_000..2_001),
            (PAGE_MAX, 5, 5..5),
        ] {
            assert_eq!(page(number).rows(count), expected, "page {number} of {count}");
        }
        assert_eq!([0, 1, 2_000, 2_001].map(page_count), [0, 1, 1, 2]);
        assert_eq!((Page::new(0), Page::new(PAGE_MAX + 1)), (None, None));
    }
}
