//! The name of a payee for bank transfers, with the reading that the corporations' data have.
//!
//! A name of kana needs no reading. For another one the open corporations that bear it say how it is read; if they differ,
//! or one of them has no reading, it is not known. Nothing is guessed.

use std::sync::Arc;

use crate::dataset::corporate::CorporateData;
use crate::dataset::corporate::record::CorporateView;
use crate::dataset::member::shape::Shape::{List, OneOf, OrNull, Text};
use crate::dataset::member::shape::{CORPORATE_NUMBER, TEXT_OR_NULL};
use crate::dataset::member::{ListOf, members};
use crate::snapshot::{Dataset, Result};
use crate::text::codes::CorporateNumber;
use crate::text::fold::{Level, folded};
use crate::text::kind_words::{Form, expand, split};
use crate::text::named_enum::named_enum;
use crate::text::transfer_name::{WriteFault, write};

/// Most corporations of one name that are read, and most that are listed.
const NAMESAKES_MAX: usize = 100;
const LISTED_MAX: usize = 10;

/// Most rows whose names have the same letters, whatever their kinds.
const ROWS_MAX: usize = 2_000;

named_enum! {
    fn name;
    /// Where the reading of a name is from.
    pub enum ReadingSource {
        Given = "given",
        Corporation = "corporation",
    }
}

/// A corporation that bears the name.
#[derive(Debug)]
pub struct Namesake {
    number: CorporateNumber,
    name: String,
    reading: String,
    /// `None` if it has no reading.
    transfer_name: Option<String>,
}

#[derive(Debug)]
pub struct NamedPayee<'n> {
    name: &'n str,
    transfer_name: Option<String>,
    source: Option<ReadingSource>,
    /// The letters whose reading is not known; empty if a transfer name was found.
    unread: String,
    namesakes: Vec<Namesake>,
}

/// The transfer name of a payee. `corporations` are asked for readings.
pub fn name_payee<'n>(
    name: &'n str,
    reading: Option<&str>,
    corporations: Option<&CorporateData>,
) -> Result<Result<NamedPayee<'n>, WriteFault>> {
    let payee = |transfer_name, source, unread: &str, namesakes| NamedPayee {
        name,
        transfer_name,
        source,
        unread: unread.to_owned(),
        namesakes,
    };
    let given = Some(ReadingSource::Given);
    let as_given = match write(name, reading) {
        Err(fault) if reading.is_some() || fault == WriteFault::Nothing => return Ok(Err(fault)),
        as_given => as_given,
    };
    // A reading may say letters and digits as words.
    let is_read = |text: &str| !text.bytes().any(|byte| byte.is_ascii_alphanumeric());
    if let Ok(written) = &as_given
        && (reading.is_some() || is_read(written))
    {
        return Ok(Ok(payee(Some(written.clone()), given, "", Vec::new())));
    }
    let found = corporations.map(|data| namesakes(data, name)).transpose()?.unwrap_or_default();
    let Found { namesakes, is_complete, has_same_kind } = found;
    let first = namesakes.first().and_then(|first| first.transfer_name.clone());
    let agree = namesakes.iter().all(|other| other.transfer_name == first);
    Ok(Ok(match (first, as_given) {
        (Some(first), _) if agree && is_complete && has_same_kind => {
            payee(Some(first), Some(ReadingSource::Corporation), "", namesakes)
        }
        (None, Ok(written)) if agree => payee(Some(written), given, "", namesakes),
        (_, Err(WriteFault::Unread(unread))) => payee(None, None, &unread, namesakes),
        (_, _) => payee(None, None, name, namesakes),
    }))
}

#[derive(Default)]
struct Found {
    namesakes: Vec<Namesake>,
    /// Whether all of them were read.
    is_complete: bool,
    /// Whether they bear the whole name; otherwise it lacks their kind word.
    has_same_kind: bool,
}

/// The open corporations of a name, or the closed ones if none is open. A name without a kind word finds all kinds.
fn namesakes(data: &CorporateData, name: &str) -> Result<Found> {
    let text = folded(name.trim(), Level::Search);
    let text = expand(&text, Level::Search);
    let (body, form) = split(&text, Level::Search);
    let refuse = |fault| Arc::new(data.file().refuse(fault));
    let names = data.name_order()?;
    let rows = names.find(body).map_err(refuse)?.equal;
    if rows.len() > ROWS_MAX {
        return Ok(Found::default());
    }
    let (mut same, mut other) = (Vec::new(), Vec::new());
    for row in names.rows(rows).map_err(refuse)? {
        let found = names.form(row).map_err(refuse)?.unwrap_or(Form::NONE);
        let list = if found.spaced(false) == form.spaced(false) { &mut same } else { &mut other };
        list.push(row);
    }
    let has_same_kind = !same.is_empty();
    let rows = match (has_same_kind, form == Form::NONE) {
        (true, _) => same,
        (false, true) => other,
        (false, false) => Vec::new(),
    };
    let is_complete = rows.len() <= NAMESAKES_MAX;
    let views = rows.into_iter().take(NAMESAKES_MAX).map(|row| data.record(row));
    let mut views = views.collect::<Result<Vec<CorporateView<'_>>>>()?;
    if views.iter().any(|view| !view.is_closed()) {
        views.retain(|view| !view.is_closed());
    }
    let namesakes = views.into_iter().map(Namesake::of).collect();
    Ok(Found { namesakes, is_complete, has_same_kind })
}

impl Namesake {
    fn of(view: CorporateView<'_>) -> Namesake {
        let (name, reading) = (view.name().to_string(), view.furigana().to_string());
        let known = Some(&*reading).filter(|reading| !reading.is_empty());
        let transfer_name = known.and_then(|reading| write(&name, Some(reading)).ok());
        Namesake { number: view.number(), name, reading, transfer_name }
    }
}

members! {
    /// A corporation that bears the name.
    pub const NAMESAKE: "Namesake" of it: &Namesake;
    "corporate_number": CORPORATE_NUMBER => it.number, "The corporate number", "法人番号";
    "name": Text => &*it.name, "Name", "商号または名称";
    "furigana": Text => &*it.reading, "Reading, or empty", "フリガナ。なければ空";
    "transfer_name": TEXT_OR_NULL => it.transfer_name.as_deref(), "Its name for transfers; null without a reading", "振込用の名義。フリガナがなければnull";
}

members! {
    /// The name of a payee for transfers.
    pub const PAYEE: "Payee" of it: &NamedPayee<'_>;
    "name": Text => it.name, "The name as sent", "送られた名称";
    "transfer_name": TEXT_OR_NULL => it.transfer_name.as_deref(), "The name in half-width kana with the abbreviations of the banks; null if its reading is not known", "半角カナと略語による名義。読みがわからなければnull";
    "reading_from": OrNull(&OneOf(&["given", "corporation"])) => it.source.map(ReadingSource::name), "Where the reading is from: the name or the parameter reading (given), or the data of corporations (corporation); null if not known", "読みの出所。名称またはreadingの値（given）、法人のデータ（corporation）。わからなければnull";
    "unread": Text => &*it.unread, "The letters whose reading is not known, or empty", "読みのわからない文字。なければ空";
    "corporations": List(&NAMESAKE) => ListOf(it.namesakes.iter().take(LISTED_MAX)), "Open corporations of this name that were asked for its reading, at most ten", "読みを調べた、この名称の法人。10件まで";
}
