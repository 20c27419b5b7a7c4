//! The places of a dataset, collected from its rows: each once, found again by its code and names.

use std::collections::HashMap;

/// The index of no place, and of a place that was dropped.
pub const NO_PLACE: u32 = u32::MAX;

#[derive(Debug)]
pub struct Places<P> {
    /// In order of first use; after [`Places::sort`] sorted.
    pub list: Vec<P>,
    /// From the key of a place to its index in the list.
    indexes: HashMap<String, u32>,
    /// Buffer for such a key.
    key: String,
}

impl<P> Default for Places<P> {
    fn default() -> Places<P> {
        Places { list: Vec::new(), indexes: HashMap::new(), key: String::new() }
    }
}

impl<P: Ord + Clone> Places<P> {
    /// The index of the place with this code and these names of prefecture and city, which is made if it is new.
    pub fn intern(&mut self, code: u32, names: [&str; 2], make: impl FnOnce() -> P) -> u32 {
        self.key.clear();
        self.key.push_str(itoa::Buffer::new().format(code));
        for name in names {
            self.key.push('\0');
            self.key.push_str(name);
        }
        if let Some(index) = self.indexes.get(&self.key) {
            return *index;
        }
        let index = self.list.len() as u32;
        self.indexes.insert(self.key.clone(), index);
        self.list.push(make());
        index
    }

    /// Sorts the list, and drops the places that are not used. Returns the new index of each place, or [`NO_PLACE`].
    pub fn sort(&mut self, used: impl Iterator<Item = u32>) -> Vec<u32> {
        let mut is_used = vec![false; self.list.len()];
        used.for_each(|place| is_used[place as usize] = true);
        let mut order: Vec<usize> = (0..self.list.len()).filter(|place| is_used[*place]).collect();
        order.sort_by(|left, right| self.list[*left].cmp(&self.list[*right]));
        let mut new_indexes = vec![NO_PLACE; self.list.len()];
        for (index, place) in (0..).zip(&order) {
            new_indexes[*place] = index;
        }
        self.list = order.iter().map(|place| self.list[*place].clone()).collect();
        self.indexes.clear();
        new_indexes
    }
}
