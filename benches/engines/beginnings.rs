//! The baselines of suggestions: the ten heaviest names with a prefix, from a sorted array and from tantivy's prefix
//! query.
//!
//! Both match a name only as written: no other spelling, no correction of typing errors, no text after a name. The
//! caller folds names and queries.

use tantivy::collector::TopDocs;
use tantivy::query::FuzzyTermQuery;
use tantivy::schema::{FAST, Field, STRING, Schema};
use tantivy::{Index, Order, Searcher, TantivyDocument};

/// Memory budget of the writer in bytes; it writes a segment when the budget is used up.
const WRITER_BYTES: usize = 1 << 30;

/// A name and its weight.
pub type Weighed = (String, u32);

/// All names, sorted: binary search finds the range of a prefix, a scan of the range finds the heaviest names.
pub struct SortedNames {
    names: Vec<Weighed>,
}

impl SortedNames {
    pub fn of(mut names: Vec<Weighed>) -> SortedNames {
        names.sort_unstable();
        SortedNames { names }
    }

    /// Finds up to `limit` of the heaviest names with this prefix; returns their number.
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

    /// Finds up to `limit` of the heaviest names with this prefix; returns their number.
    pub fn suggest(&self, typed: &str, limit: usize) -> usize {
        let term = tantivy::Term::from_field_text(self.name, typed);
        let query = FuzzyTermQuery::new_prefix(term, 0, true);
        let heaviest = TopDocs::with_limit(limit).order_by_u64_field("weight", Order::Desc);
        self.searcher.search(&query, &heaviest).expect("an index in memory").len()
    }
}
