//! SQLite's FTS5 over bigrams that are split beforehand, each written as a word of ASCII letters. In memory, with
//! prepared statements.

use std::fmt::Write as _;

use daicho::dataset::corporate::CorporateData;
use rusqlite::Connection;

use super::question::{Answer, Asked, Engine, Question, Term};
use super::rows::{FacetValues, bigrams, each};

/// A contentless table (without the texts), the smallest that FTS5 can make.
pub struct Fts5 {
    connection: Connection,
    /// Of each row.
    facets: Vec<FacetValues>,
    /// Size of the database in bytes.
    pub bytes: u64,
}

impl Fts5 {
    /// Indexes the rows of a snapshot.
    pub fn build(data: &CorporateData) -> rusqlite::Result<Fts5> {
        let connection = Connection::open_in_memory()?;
        connection.execute_batch(
            "CREATE VIRTUAL TABLE grams USING fts5(name, furigana, street_number,
                content='', tokenize='ascii', columnsize=0);
             INSERT INTO grams(grams, rank) VALUES ('hashsize', 67108864);
             BEGIN",
        )?;
        let mut facets = Vec::new();
        let insert =
            "INSERT INTO grams(rowid, name, furigana, street_number) VALUES (?1, ?2, ?3, ?4)";
        let mut insert = connection.prepare(insert)?;
        let mut failed = None;
        each(data, |row| {
            let [name, furigana, street] = row.texts.each_ref().map(|text| words(text));
            let inserted = insert.execute((facets.len() as i64, name, furigana, street));
            failed = failed.take().or(inserted.err());
            facets.push(row.facets);
        });
        drop(insert);
        if let Some(error) = failed {
            return Err(error);
        }
        connection.execute_batch("INSERT INTO grams(grams) VALUES ('optimize'); COMMIT")?;
        let number = |pragma: &str| -> rusqlite::Result<u64> {
            connection
                .query_row(&format!("PRAGMA {pragma}"), [], |row| row.get::<_, i64>(0))
                .map(|n| n as u64)
        };
        let bytes = number("page_count")? * number("page_size")?;
        Ok(Fts5 { connection, facets, bytes })
    }
}

/// The bigrams of a text as words.
fn words(text: &str) -> String {
    let mut words = String::with_capacity(4 * text.len());
    for gram in bigrams(text) {
        let mut letters = gram.chars().map(u32::from);
        let mut letter = || letters.next().expect("a gram has two letters");
        let _ = write!(words, "{:x}x{:x} ", letter(), letter());
    }
    words
}

fn written(term: &Term) -> String {
    format!("{}:\"{}\"", term.field.name(), words(&term.text))
}

fn joined(terms: &[Term], operator: &str) -> String {
    terms.iter().map(written).collect::<Vec<_>>().join(operator)
}

impl Engine for Fts5 {
    fn name(&self) -> &'static str {
        "FTS5"
    }

    fn ask(&self, asked: &Asked, all_facets: bool) -> Answer {
        let question = match &asked.question {
            Question::One(term) => written(term),
            Question::And(terms) => joined(terms, " AND "),
            Question::Or(terms) => joined(terms, " OR "),
            Question::Not(term, others) => {
                format!("{} NOT ({})", written(term), joined(others, " OR "))
            }
        };
        let select = "SELECT rowid FROM grams WHERE grams MATCH ?1";
        let mut statement = self.connection.prepare_cached(select).expect("a statement");
        let mut rows = statement.query([question]).expect("a question");
        let mut answer = Answer::none(all_facets);
        let mut first = Vec::with_capacity(100);
        while let Some(row) = rows.next().expect("a row") {
            let row: i64 = row.get(0).expect("a number");
            answer.count += 1;
            if first.len() < 100 {
                first.push(row);
            }
            for (facet, value) in answer.facets.iter_mut().zip(self.facets[row as usize]) {
                facet[usize::from(value)] += 1;
            }
        }
        answer.rows = first.len();
        answer
    }
}
