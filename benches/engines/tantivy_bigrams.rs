//! tantivy with a tokeniser of bigrams with increasing positions, so that a phrase query finds a substring.
//!
//! tantivy's own n-gram tokeniser gives every bigram position 0, so phrase queries do not work with it. The collector
//! counts, keeps a hundred rows, and counts facets from fast fields, in one pass and without scores; tantivy's own
//! collectors do more work for the same result.

use std::path::Path;
use std::sync::Arc;

use daicho::dataset::corporate::CorporateData;
use tantivy::collector::{Collector, SegmentCollector};
use tantivy::columnar::ColumnValues;
use tantivy::query::{BooleanQuery, Occur, PhraseQuery, Query, TermQuery};
use tantivy::schema::{
    FAST, Field as Column, IndexRecordOption, Schema, TextFieldIndexing, TextOptions,
};
use tantivy::tokenizer::{Token, TokenStream, Tokenizer};
use tantivy::{DocId, Index, IndexWriter, Score, Searcher, SegmentReader, TantivyDocument};

use super::question::{Answer, Asked, Engine, Question, Term};
use super::rows::{FACETS, Field, bigrams, each};

const TOKENIZER: &str = "bigrams";
const FACET_COLUMNS: [&str; FACETS] = ["prefecture", "kind", "process", "close_cause"];

/// Memory budget of the writer in bytes; it writes a segment when the budget is used up.
const WRITER_BYTES: usize = 1 << 30;

/// An index of all rows, in one segment.
pub struct TantivyBigrams {
    searcher: Searcher,
    texts: [Column; 3],
    /// Bytes on disk.
    pub bytes: u64,
}

impl TantivyBigrams {
    /// Indexes the rows of a snapshot in a folder.
    pub fn build(data: &CorporateData, folder: &Path) -> tantivy::Result<TantivyBigrams> {
        let mut schema = Schema::builder();
        let indexing = TextFieldIndexing::default()
            .set_tokenizer(TOKENIZER)
            .set_fieldnorms(false)
            .set_index_option(IndexRecordOption::WithFreqsAndPositions);
        let options = TextOptions::default().set_indexing_options(indexing);
        let texts = Field::ALL.map(|field| schema.add_text_field(field.name(), options.clone()));
        let facets = FACET_COLUMNS.map(|name| schema.add_u64_field(name, FAST));
        let index = Index::create_in_dir(folder, schema.build())?;
        index.tokenizers().register(TOKENIZER, Bigrams::default());
        let mut writer: IndexWriter = index.writer_with_num_threads(2, WRITER_BYTES)?;
        let mut failed = None;
        each(data, |row| {
            let mut document = TantivyDocument::default();
            texts
                .iter()
                .zip(&row.texts)
                .for_each(|(column, text)| document.add_text(*column, text));
            facets.iter().zip(row.facets).for_each(|(column, value)| {
                document.add_u64(*column, u64::from(value));
            });
            failed = failed.take().or(writer.add_document(document).err());
        });
        if let Some(error) = failed {
            return Err(error);
        }
        writer.commit()?;
        let segments = index.searchable_segment_ids()?;
        if segments.len() > 1 {
            writer.merge(&segments).wait()?;
        }
        writer.garbage_collect_files().wait()?;
        writer.wait_merging_threads()?;
        let sizes = std::fs::read_dir(folder)?.filter_map(|entry| entry.ok()?.metadata().ok());
        let bytes = sizes.map(|found| found.len()).sum();
        Ok(TantivyBigrams { searcher: index.reader()?.searcher(), texts, bytes })
    }

    fn term(&self, term: &Term) -> Box<dyn Query> {
        let column = self.texts[term.field as usize];
        let mut grams: Vec<tantivy::Term> =
            bigrams(&term.text).map(|gram| tantivy::Term::from_field_text(column, gram)).collect();
        match grams.len() {
            1 => Box::new(TermQuery::new(grams.remove(0), IndexRecordOption::Basic)),
            _ => Box::new(PhraseQuery::new(grams)),
        }
    }

    fn query(&self, question: &Question) -> Box<dyn Query> {
        let all = |occur: Occur, terms: &[Term]| -> Vec<(Occur, Box<dyn Query>)> {
            terms.iter().map(|term| (occur, self.term(term))).collect()
        };
        match question {
            Question::One(term) => self.term(term),
            Question::And(terms) => Box::new(BooleanQuery::new(all(Occur::Must, terms))),
            Question::Or(terms) => Box::new(BooleanQuery::new(all(Occur::Should, terms))),
            Question::Not(term, others) => {
                let mut clauses = all(Occur::MustNot, others);
                clauses.push((Occur::Must, self.term(term)));
                Box::new(BooleanQuery::new(clauses))
            }
        }
    }
}

impl Engine for TantivyBigrams {
    fn name(&self) -> &'static str {
        "tantivy"
    }

    fn ask(&self, asked: &Asked, all_facets: bool) -> Answer {
        let found = self.searcher.search(&self.query(&asked.question), &Counting { all_facets });
        found.expect("a sound index")
    }
}

/// Collects an [`Answer`].
struct Counting {
    all_facets: bool,
}

struct CountingSegment {
    columns: Vec<Arc<dyn ColumnValues<u64>>>,
    answer: Answer,
    first: Vec<DocId>,
}

impl Collector for Counting {
    type Fruit = Answer;
    type Child = CountingSegment;

    fn for_segment(&self, _: u32, segment: &SegmentReader) -> tantivy::Result<CountingSegment> {
        let answer = Answer::none(self.all_facets);
        let columns = FACET_COLUMNS[..answer.facets.len()]
            .iter()
            .map(|name| Ok(segment.fast_fields().u64(name)?.first_or_default_col(0)));
        let columns = columns.collect::<tantivy::Result<_>>()?;
        Ok(CountingSegment { columns, answer, first: Vec::with_capacity(100) })
    }

    fn requires_scoring(&self) -> bool {
        false
    }

    fn merge_fruits(&self, segments: Vec<Answer>) -> tantivy::Result<Answer> {
        let mut sum = Answer::none(self.all_facets);
        for segment in segments {
            sum.count += segment.count;
            sum.rows = (sum.rows + segment.rows).min(100);
            for (facet, of_segment) in sum.facets.iter_mut().zip(&segment.facets) {
                facet.iter_mut().zip(of_segment).for_each(|(count, more)| *count += more);
            }
        }
        Ok(sum)
    }
}

impl SegmentCollector for CountingSegment {
    type Fruit = Answer;

    fn collect(&mut self, document: DocId, _: Score) {
        self.answer.count += 1;
        if self.first.len() < 100 {
            self.first.push(document);
        }
        for (facet, column) in self.answer.facets.iter_mut().zip(&self.columns) {
            facet[column.get_val(document) as usize] += 1;
        }
    }

    fn harvest(mut self) -> Answer {
        self.answer.rows = self.first.len();
        self.answer
    }
}

/// The tokeniser: every pair of adjacent letters, with its position.
#[derive(Clone, Default)]
struct Bigrams {
    token: Token,
}

struct BigramStream<'a> {
    grams: Box<dyn Iterator<Item = &'a str> + 'a>,
    token: &'a mut Token,
}

impl Tokenizer for Bigrams {
    type TokenStream<'a> = BigramStream<'a>;

    fn token_stream<'a>(&'a mut self, text: &'a str) -> BigramStream<'a> {
        self.token.reset();
        BigramStream { grams: Box::new(bigrams(text)), token: &mut self.token }
    }
}

impl TokenStream for BigramStream<'_> {
    fn advance(&mut self) -> bool {
        let Some(gram) = self.grams.next() else { return false };
        self.token.text.clear();
        self.token.text.push_str(gram);
        self.token.position = self.token.position.wrapping_add(1);
        true
    }

    fn token(&self) -> &Token {
        self.token
    }

    fn token_mut(&mut self) -> &mut Token {
        self.token
    }
}
