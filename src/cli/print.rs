//! What commands show on the terminal: text, JSON, records as aligned tables for people or JSON for programs, progress
//! bars, and questions before irreversible actions.

use std::io::{self, BufRead, IsTerminal, Write};

use indicatif::{ProgressBar, ProgressFinish, ProgressStyle};
use serde_json::Value;
use unicode_width::UnicodeWidthStr;

use super::error::CommandError;
use super::language;
pub use super::language::{own, said};
use crate::compile::Progress;
pub use crate::text::numerals::counted;
use crate::text::printable::{printable, printable_json};

pub fn print(out: &mut dyn Write, text: impl AsRef<[u8]>) -> Result<(), CommandError> {
    out.write_all(text.as_ref()).map_err(output_error)
}

/// Prints lines for people, in the language of the process.
pub fn print_lines(out: &mut dyn Write, text: &str) -> Result<(), CommandError> {
    print(out, &*language::lines(text))
}

/// Prints lines for people on standard error, in the language of the process. What the command did is done by then, so
/// an error of writing about it is ignored.
pub fn print_notes(text: &str) {
    let _ = io::stderr().lock().write_all(language::lines(text).as_bytes());
}

/// The line of a warning.
pub fn warning(text: &str) -> String {
    let warning = said(text);
    format!("warning: {warning}\n")
}

/// Prints JSON with one member on each line.
pub fn print_json(out: &mut dyn Write, value: impl Into<Value>) -> Result<(), CommandError> {
    print_json_text(out, &format!("{:#}\n", value.into()))
}

/// Prints a JSON text. Its strings may be texts from outside: what a terminal obeys is escaped as JSON does.
pub fn print_json_text(out: &mut dyn Write, json: &str) -> Result<(), CommandError> {
    print(out, printable_json(json).as_bytes())
}

pub fn output_error(error: io::Error) -> CommandError {
    CommandError::Failed(format!("cannot write the output: {error}"))
}

/// A record that commands print.
pub trait TableRecord<const N: usize> {
    const HEADING: [&'static str; N];

    fn cells(&self) -> [String; N];

    fn json(&self) -> Value;
}

/// Prints records as a table or as a JSON array.
pub fn print_records<const N: usize, T: TableRecord<N>>(
    out: &mut dyn Write,
    json: bool,
    records: &[T],
) -> Result<(), CommandError> {
    match json {
        true => {
            let records: Value = records.iter().map(T::json).collect();
            print_json_text(out, &format!("{records}\n"))
        }
        false => print(out, table_of(records)),
    }
}

/// Prints one record as a table of one row or as a JSON object.
pub fn print_record<const N: usize, T: TableRecord<N>>(
    out: &mut dyn Write,
    json: bool,
    record: &T,
) -> Result<(), CommandError> {
    match json {
        true => print_json_text(out, &format!("{}\n", record.json())),
        false => print(out, table_of(std::slice::from_ref(record))),
    }
}

pub fn table_of<const N: usize, T: TableRecord<N>>(records: &[T]) -> String {
    let rows: Vec<_> = records.iter().map(T::cells).collect();
    table(T::HEADING, &rows)
}

/// A table for people. A cell may be a text from outside: it is made printable.
pub fn table<const N: usize>(heading: [&str; N], rows: &[[String; N]]) -> String {
    let rows: Vec<_> = rows.iter().map(|row| row.each_ref().map(|cell| printable(cell))).collect();
    let mut widths = heading.map(UnicodeWidthStr::width);
    for row in &rows {
        for (width, cell) in widths.iter_mut().zip(row) {
            *width = (*width).max(cell.width());
        }
    }
    let rows = rows.iter().map(|row| row.each_ref().map(|cell| &**cell));
    std::iter::once(heading).chain(rows).map(|cells| table_line(&widths, cells)).collect()
}

fn table_line<const N: usize>(widths: &[usize; N], cells: [&str; N]) -> String {
    let mut line = String::new();
    for (width, cell) in widths.iter().zip(cells) {
        line.push_str(cell);
        line.extend(std::iter::repeat_n(' ', width - cell.width() + 2));
    }
    line.truncate(line.trim_end().len());
    line + "\n"
}

/// Succeeds if `yes` was given or the user confirms the action on the terminal. `action` is a phrase such as
/// "delete the account shop".
pub fn confirm(action: &str, yes: bool) -> Result<(), CommandError> {
    if yes {
        return Ok(());
    }
    if !io::stdin().is_terminal() {
        return Err(CommandError::Usage(format!(
            "cannot ask for confirmation to {action}: expected a terminal or --yes; found neither"
        )));
    }
    match is_confirmed(action, &mut io::stdin().lock(), &mut io::stderr()) {
        Ok(true) => Ok(()),
        Ok(false) => Err(CommandError::Failed("cancelled; nothing was changed".to_owned())),
        Err(error) => {
            Err(CommandError::Failed(format!("cannot read the answer from the terminal: {error}")))
        }
    }
}

/// Whether the answer is yes. Anything else means no, including the end of the input.
fn is_confirmed(
    action: &str,
    input: &mut dyn BufRead,
    terminal: &mut dyn Write,
) -> io::Result<bool> {
    let question = format!("Really {action}? It cannot be undone. [y/N]");
    write!(terminal, "{} ", language::lines(&question))?;
    terminal.flush()?;
    let mut answer = String::new();
    input.read_line(&mut answer)?;
    Ok(["y", "yes"].contains(&answer.trim().to_ascii_lowercase().as_str()))
}

/// One bar for a whole build; its message names the step.
pub struct StepBar(ProgressBar);

impl StepBar {
    pub fn new() -> StepBar {
        let bar = ProgressBar::new(0).with_finish(ProgressFinish::AndClear);
        bar.set_style(style("{msg:28} {wide_bar} {percent:>3}%"));
        StepBar(bar)
    }

    pub fn hidden() -> StepBar {
        StepBar(ProgressBar::hidden())
    }

    pub fn print_above(&self, print: &mut dyn FnMut()) {
        self.0.suspend(print);
    }
}

impl Progress for StepBar {
    fn step(&self, name: &str) {
        self.0.set_message(language::lines(name).into_owned());
        self.0.set_position(0);
    }

    fn advance(&self, done: u64, total: u64) {
        self.0.set_length(total);
        self.0.set_position(done);
    }

    fn warn(&self, text: &str) {
        self.print_above(&mut || print_notes(&warning(text)));
    }
}

/// A progress bar over the bytes of an input, or a counter if the size is unknown.
pub struct ByteBar(ProgressBar);

impl ByteBar {
    pub fn new(length_bytes: Option<u64>) -> ByteBar {
        let (bar, template) = match length_bytes {
            Some(length) => {
                (ProgressBar::new(length), "{msg:28} {wide_bar} {percent:>3}% {eta:>4}")
            }
            None => (ProgressBar::new_spinner(), "{spinner} {msg} ({bytes})"),
        };
        bar.set_style(style(template));
        ByteBar(bar.with_finish(ProgressFinish::AndClear))
    }

    pub fn hidden() -> ByteBar {
        ByteBar(ProgressBar::hidden())
    }

    /// Adds bytes. `message` gets the seconds since the beginning and is called only if the bar is visible.
    pub fn advance(&self, bytes: u64, message: impl FnOnce(f64) -> String) {
        if !self.0.is_hidden() {
            let message = message(self.0.elapsed().as_secs_f64());
            self.0.set_message(language::lines(&message).into_owned());
            self.0.inc(bytes);
        }
    }
}

fn style(template: &str) -> ProgressStyle {
    ProgressStyle::with_template(template).expect("the template is a constant")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wide_characters_take_two_columns() {
        let rows = [["株式会社", "x"], ["demo", ""], ["ｶﾅ", "yy"]].map(|row| row.map(String::from));
        let expected = "NAME      B\n株式会社  x\ndemo\nｶﾅ        yy\n";
        assert_eq!(table(["NAME", "B"], &rows), expected);
    }

    #[test]
    fn no_escape_sequence_reaches_the_terminal() {
        let rows = [["web\u{1b}[2J".to_owned(), "a\nb".to_owned()]];
        assert_eq!(table(["NAME", "B"], &rows), "NAME          B\nweb\\u{1b}[2J  a\\u{a}b\n");
        let mut out = Vec::new();
        print_lines(&mut out, &format!("no releases in {}\n", own("file:///\u{9b}31m")))
            .expect("printed");
        print_json(&mut out, Value::from("\u{9b}\u{202e}\u{1b}")).expect("printed");
        let text = String::from_utf8(out).expect("text");
        let expected = "no releases in file:///\\u{9b}31m\n\"\\u009b\\u202e\\u001b\"\n";
        assert_eq!(text, expected);
    }

    #[test]
    fn an_empty_table_has_a_heading() {
        assert_eq!(table(["NAME", "PLAN"], &[]), "NAME  PLAN\n");
    }
}

#[cfg(test)]
mod confirm_tests {
    use super::*;

    #[test]
    fn only_yes_confirms() {
        for (answer, expected) in [
            ("y\n", true),
            ("Yes\r\n", true),
            ("\n", false),
            ("", false),
            ("n\n", false),
            ("yeah\n", false),
            ("n\ny\n", false),
        ] {
            let mut prompt = Vec::new();
            let found = is_confirmed("delete it", &mut answer.as_bytes(), &mut prompt);
            assert_eq!(found.expect("readable"), expected, "{answer:?}");
            assert_eq!(prompt, b"Really delete it? It cannot be undone. [y/N] ");
        }
        assert!(is_confirmed("delete it", &mut &b"\xff\n"[..], &mut Vec::new()).is_err());
    }
}
