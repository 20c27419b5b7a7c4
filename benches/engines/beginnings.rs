//! Names by their beginnings, the heaviest ten first: a sorted array, and tantivy's prefix query.
//!
//! Both know each name as it is written and nothing else: no second writing, no near misses, no text that continues
//! behind a name. Folding is the caller's.

use tantivy::collector::TopDocs;
use tantivy::query::FuzzyTermQuery;
use tantivy::schema::{FAST, Field, STRING, Schema};
use tantivy::{Index, Order, Searcher, TantivyDocument};

/// Memory of the writer before it writes a segment.
const WRITER_BYTES: usize = 1 << 30;

/// A name and how much it weighs.
pub type Weighed = (String, u32);

/// All names in their order: the range of a beginning is found by binary search, the heaviest in it by a look at each.
pub struct SortedNames {
    names: Vec<Weighed>,
}

impl SortedNames {
    pub fn of(mut names: Vec<Weighed>) -> SortedNames {
        names.sort_unstable();
        SortedNames { names }
    }

    /// How many names of `limit` at most begin so.
    pub fn suggest(&self, typed: &str, limit: usize) -> usize {
        let start = self.names.partition_point(|(name, _)| name.as_str() < typed);
        let found = self.names[start..].iter().take_while(|(name, _)| name.starts_with(typed));
        let mut found: Vec<(u32, &str)> =
            found.map(|(name, weight)| (u32::MAX - weight, name.as_str())).collect();
        if limit < found.len() {
            found.select_nth_unstable(limit);
            found.truncate(limit);
        }
        found.sort_unstable();
        found.len()
    }
}

/// An index in memory, in one segment, with the weights in a fast field.
pub struct TantivyNames {
    searcher: Searcher,
    name: Field,
}

impl TantivyNames {
    pub fn build(names: &[Weighed]) -> tantivy::Result<TantivyNames> {
        let mut schema = Schema::builder();
        let name = schema.add_text_field("name", STRING);
        let weight = schema.add_u64_field("weight", FAST);
        let index = Index::create_in_ram(schema.build());
        let mut writer = index.writer_with_num_threads(1, WRITER_BYTES)?;
        for (text, weighs) in names {
            let mut document = TantivyDocument::default();
            document.add_text(name, text);
            document.add_u64(weight, u64::from(*weighs));
            writer.add_document(document)?;
        }
        writer.commit()?;
        let segments = index.searchable_segment_ids()?;
        if segments.len() > 1 {
            writer.merge(&segments).wait()?;
        }
        writer.wait_merging_threads()?;
        Ok(TantivyNames { searcher: index.reader()?.searcher(), name })
    }

    /// How many names of `limit` at most begin so.
    pub fn suggest(&self, typed: &str, limit: usize) -> usize {
        let term = tantivy::Term::from_field_text(self.name, typed);
        let query = FuzzyTermQuery::new_prefix(term, 0, true);
        let heaviest = TopDocs::with_limit(limit).order_by_u64_field("weight", Order::Desc);
        self.searcher.search(&query, &heaviest).expect("an index in memory").len()
    }
}
