//! Splits a text into rows, and a row into fields.
//!
//! A field that begins with a quote extends to its closing quote; any other quote is text. A quote that is left open
//! would swallow the rows after it, so a field with line breaks must end properly and soon: its closing quote is
//! followed by a delimiter or a line break, after at most [`BREAKS_MAX`] lines. Otherwise the quote is text too, and
//! the field ends at the next delimiter or line break.
//!
//! Rows and fields are ranges of the input's bytes, in UTF-8, Shift_JIS and EUC-JP alike: no second byte of these is a
//! quote, a comma, a tab, a semicolon or a line break.

use std::ops::Range;

use memchr::{memchr, memchr2, memrchr};

const QUOTE: u8 = b'"';
/// Ends a row; a CR before it belongs to the line break.
pub const LF: u8 = b'\n';
/// Ends a row in files of old Macs, which have no LF there.
pub const CR: u8 = b'\r';
/// Most line breaks in a field. More are taken for a quote that is left open.
const BREAKS_MAX: usize = 1_000;

/// How a text is divided into rows and fields.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shape {
    /// The byte between fields, as in a CSV. `None`: each line is one field, and quotes have no meaning.
    pub delimiter: Option<u8>,
    /// The last byte of a line break: `LF` or `CR`.
    pub newline: u8,
}

impl Shape {
    pub const LINES: Shape = Shape { delimiter: None, newline: LF };

    pub const fn fields(delimiter: u8) -> Shape {
        Shape { delimiter: Some(delimiter), newline: LF }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Row<'a> {
    /// The row without its line break.
    pub text: &'a [u8],
    /// LF, CR LF or CR; empty after the last row.
    pub ending: &'a [u8],
    /// Whether a field begins with a quote that is left open.
    pub has_open_quote: bool,
}

impl Row<'_> {
    /// The bytes of the row with its line break.
    pub fn length(&self) -> usize {
        self.text.len() + self.ending.len()
    }
}

/// The first row of `bytes`; stores the ranges of its fields, with quotes, in `fields`.
pub fn first_row<'a>(bytes: &'a [u8], shape: Shape, fields: &mut Vec<Range<usize>>) -> Row<'a> {
    fields.clear();
    let newline = shape.newline;
    let Some(delimiter) = shape.delimiter else {
        let row = row_until(bytes, memchr(newline, bytes));
        fields.push(0..row.text.len());
        return row;
    };
    let mut position = 0;
    let mut has_open_quote = false;
    loop {
        let start = position;
        if bytes.get(position) == Some(&QUOTE) {
            let end = closing_quote_end(bytes, position + 1, delimiter, newline);
            has_open_quote |= end.is_none();
            position = end.unwrap_or(position + 1);
        }
        let found = memchr2(delimiter, newline, &bytes[position..]).map(|found| position + found);
        if let Some(found) = found
            && bytes[found] == delimiter
        {
            fields.push(start..found);
            position = found + 1;
        } else {
            let row = row_until(bytes, found);
            fields.push(start..row.text.len());
            return Row { has_open_quote, ..row };
        }
    }
}

/// The row that ends at this newline, or with the text.
fn row_until(bytes: &[u8], newline: Option<usize>) -> Row<'_> {
    let has_open_quote = false;
    let Some(newline) = newline else {
        return Row { text: bytes, ending: &[], has_open_quote };
    };
    let has_cr = bytes[newline] == LF && newline > 0 && bytes[newline - 1] == CR;
    let end = newline - usize::from(has_cr);
    Row { text: &bytes[..end], ending: &bytes[end..=newline], has_open_quote }
}

/// The position after the closing quote of a field whose content begins at `position`; `None` if the quote is left
/// open.
fn closing_quote_end(
    bytes: &[u8],
    mut position: usize,
    delimiter: u8,
    newline: u8,
) -> Option<usize> {
    let mut breaks = 0;
    while let Some(found) = memchr2(QUOTE, newline, &bytes[position..]) {
        position += found + 1;
        if bytes[position - 1] == newline {
            breaks += 1;
            if breaks > BREAKS_MAX {
                return None;
            }
            continue;
        }
        match bytes.get(position) {
            Some(&QUOTE) => position += 1,
            next => {
                return (breaks == 0 || ends_field(next.copied(), delimiter)).then_some(position);
            }
        }
    }
    None
}

/// Whether a closing quote may stand before this byte. Some programs write a space after it.
fn ends_field(next: Option<u8>, delimiter: u8) -> bool {
    next.is_none_or(|byte| byte == delimiter || matches!(byte, LF | CR | b' '))
}

/// Whether a field is a quote with a text that no quote closes.
pub fn is_open(field: &[u8]) -> bool {
    let [QUOTE, content @ ..] = field else { return false };
    let mut rest = content;
    while let Some(quote) = memchr(QUOTE, rest) {
        match rest.get(quote + 1) {
            Some(&QUOTE) => rest = &rest[quote + 2..],
            _ => return false,
        }
    }
    true
}

/// The value of a field: without its quotes, doubled ones reduced to one. `buffer` is used if it must be
/// copied.
pub fn value<'a>(field: &'a [u8], buffer: &'a mut Vec<u8>) -> &'a [u8] {
    let [QUOTE, content @ ..] = field else { return field };
    let Some(mut quote) = memchr(QUOTE, content) else { return content };
    if quote + 1 == content.len() {
        return &content[..quote];
    }
    buffer.clear();
    let mut rest = content;
    loop {
        buffer.extend_from_slice(&rest[..quote]);
        rest = &rest[quote + 1..];
        let [QUOTE, after @ ..] = rest else {
            // The closing quote; what follows it is ordinary text.
            buffer.extend_from_slice(rest);
            return buffer;
        };
        buffer.push(QUOTE);
        rest = after;
        match memchr(QUOTE, rest) {
            Some(next) => quote = next,
            None => {
                buffer.extend_from_slice(rest);
                return buffer;
            }
        }
    }
}

/// Finds how much of a growing buffer is whole rows; examines each byte once, and those after an open quote twice.
#[derive(Debug)]
pub struct Splitter {
    shape: Shape,
    state: State,
    /// The first byte that was not examined.
    examined: usize,
    /// The end of the last whole row.
    rows_end: usize,
    /// How many rows ended.
    rows: usize,
    /// The field between quotes: where its content begins, and how many line breaks it has.
    quoted_from: usize,
    breaks: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    FieldStart,
    /// In a field without quotes, or after the closing quote.
    Plain,
    /// Between the quotes of a field.
    Quoted,
    /// After a quote in a quoted field: the closing one, or the first of two.
    QuoteSeen,
}

impl Splitter {
    /// For an empty buffer.
    pub fn new(shape: Shape) -> Splitter {
        let (examined, rows_end, rows, quoted_from, breaks) = (0, 0, 0, 0, 0);
        Splitter { shape, state: State::FieldStart, examined, rows_end, rows, quoted_from, breaks }
    }

    /// How many rows ended; not counted in a text of lines.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// The end of the last whole row.
    pub fn rows_end(&self) -> usize {
        self.rows_end
    }

    /// How many bytes at the beginning are whole rows; the bytes of the previous call must still be there.
    pub fn whole_rows(&mut self, bytes: &[u8]) -> usize {
        match self.shape.delimiter {
            None => {
                if let Some(found) = memrchr(self.shape.newline, &bytes[self.examined..]) {
                    self.rows_end = self.examined + found + 1;
                }
            }
            Some(delimiter) => self.scan(bytes, delimiter),
        }
        self.examined = bytes.len();
        self.rows_end
    }

    /// To be called after the caller removed the whole rows from the front of the buffer.
    pub fn discard_whole_rows(&mut self) {
        self.examined -= self.rows_end;
        self.quoted_from = self.quoted_from.saturating_sub(self.rows_end);
        self.rows_end = 0;
    }

    fn scan(&mut self, bytes: &[u8], delimiter: u8) {
        let newline = self.shape.newline;
        let mut position = self.examined;
        while position < bytes.len() {
            let rest = &bytes[position..];
            let found = match self.state {
                State::FieldStart if rest[0] == QUOTE => {
                    (self.state, self.quoted_from, self.breaks) = (State::Quoted, position + 1, 0);
                    Some(0)
                }
                State::QuoteSeen if rest[0] == QUOTE => {
                    self.state = State::Quoted;
                    Some(0)
                }
                State::QuoteSeen if self.breaks > 0 && !ends_field(Some(rest[0]), delimiter) => {
                    position = self.reopen();
                    continue;
                }
                State::Quoted => {
                    let found = memchr2(QUOTE, newline, rest);
                    if let Some(found) = found {
                        if rest[found] == QUOTE {
                            self.state = State::QuoteSeen;
                        } else {
                            self.breaks += 1;
                            if self.breaks > BREAKS_MAX {
                                position = self.reopen();
                                continue;
                            }
                        }
                    }
                    found
                }
                State::FieldStart | State::QuoteSeen | State::Plain => {
                    self.state = State::Plain;
                    memchr2(delimiter, newline, rest).inspect(|&found| {
                        self.state = State::FieldStart;
                        if rest[found] == newline {
                            self.rows_end = position + found + 1;
                            self.rows += 1;
                        }
                    })
                }
            };
            position = found.map_or(bytes.len(), |found| position + found + 1);
        }
    }

    /// The quote is left open: what follows it is examined again, as text.
    fn reopen(&mut self) -> usize {
        self.state = State::Plain;
        self.quoted_from
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const CSV: Shape = Shape::fields(b',');

    fn rows(text: &str, shape: Shape) -> Vec<(Vec<String>, String)> {
        let mut bytes = text.as_bytes();
        let (mut fields, mut buffer, mut out) = (Vec::new(), Vec::new(), Vec::new());
        while !bytes.is_empty() {
            let row = first_row(bytes, shape, &mut fields);
            let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
            let values = fields.iter().map(|field| match shape.delimiter {
                None => text(&row.text[field.clone()]),
                Some(_) => text(value(&row.text[field.clone()], &mut buffer)),
            });
            out.push((values.collect(), text(row.ending)));
            bytes = &bytes[row.length()..];
        }
        out
    }

    #[test]
    fn rows_and_fields_are_found() {
        #[track_caller]
        fn check(text: &str, expected: &[(&[&str], &str)]) {
            let found = rows(text, CSV);
            let found: Vec<(Vec<&str>, &str)> = found
                .iter()
                .map(|(fields, end)| (fields.iter().map(String::as_str).collect(), end.as_str()))
                .collect();
            let expected: Vec<(Vec<&str>, &str)> =
                expected.iter().map(|(fields, end)| (fields.to_vec(), *end)).collect();
            assert_eq!(found, expected, "{text:?}");
        }
        check("", &[]);
        check("\n", &[(&[""], "\n")]);
        check("\r\n", &[(&[""], "\r\n")]);
        check("a", &[(&["a"], "")]);
        check("a,b\r\nc,\r\n", &[(&["a", "b"], "\r\n"), (&["c", ""], "\r\n")]);
        check(",\n", &[(&["", ""], "\n")]);
        check("\"a,\r\nb\",c\nd", &[(&["a,\r\nb", "c"], "\n"), (&["d"], "")]);
        check("\"a\"\"b\",\"\"\n", &[(&["a\"b", ""], "\n")]);
        check("\"\"\"\"\n", &[(&["\""], "\n")]);
        // A quote inside a field, and letters after a closing quote.
        check("5\" disk,x\n", &[(&["5\" disk", "x"], "\n")]);
        check("\"a\"b\"c,d\n", &[(&["ab\"c", "d"], "\n")]);
        // An open quote: the field ends at the next delimiter or line break.
        check("\"a,b\nc", &[(&["a", "b"], "\n"), (&["c"], "")]);
        check("\"", &[(&[""], "")]);
        // The quote of the next row does not close it, unless a delimiter or a line break follows.
        check("\"a\n\"b\",c\n", &[(&["a"], "\n"), (&["b", "c"], "\n")]);
        check("x,\"a\n1,\"b\"\"\"\n", &[(&["x", "a"], "\n"), (&["1", "b\""], "\n")]);
        check("\"a\n\" ,c\n", &[(&["a\n ", "c"], "\n")]);
        // A lone CR is part of the field.
        check("a\rb\n", &[(&["a\rb"], "\n")]);
    }

    #[test]
    fn a_field_with_too_many_lines_is_an_open_quote() {
        for (breaks, expected) in [(BREAKS_MAX, 1), (BREAKS_MAX + 1, BREAKS_MAX + 2)] {
            let text = format!("\"{}x\",y\n", "a\n".repeat(breaks));
            assert_eq!(rows(&text, CSV).len(), expected, "{breaks}");
            let mut splitter = Splitter::new(CSV);
            assert_eq!(splitter.whole_rows(text.as_bytes()), text.len());
            assert_eq!(splitter.rows(), expected, "{breaks}");
        }
    }

    #[test]
    fn rows_may_end_with_cr() {
        let shape = Shape { newline: CR, ..CSV };
        let found = rows("a,\"b\nc\"\rd\n,\r\r", shape);
        let found: Vec<(Vec<&str>, &str)> = found
            .iter()
            .map(|(fields, end)| (fields.iter().map(String::as_str).collect(), end.as_str()))
            .collect();
        assert_eq!(found, [(vec!["a", "b\nc"], "\r"), (vec!["d\n", ""], "\r"), (vec![""], "\r")]);
        assert_eq!(rows("a\rb", Shape { newline: CR, ..Shape::LINES }).len(), 2);
    }

    #[test]
    fn open_quotes_are_recognised_in_a_field() {
        for (field, expected) in [
            ("\"", true),
            ("\"a", true),
            ("\"a\"\"b", true),
            ("\"\"", false),
            ("\"a\"", false),
            ("\"a\"b", false),
            ("a\"", false),
            ("", false),
        ] {
            assert_eq!(is_open(field.as_bytes()), expected, "{field}");
        }
    }

    #[test]
    fn lines_have_no_quotes() {
        let found = rows("\"a\nb,c\r\n\n", Shape::LINES);
        let lines: Vec<&str> = found.iter().map(|(fields, _)| fields[0].as_str()).collect();
        assert_eq!(lines, ["\"a", "b,c", ""]);
    }

    proptest! {
        #[test]
        fn splitting_does_not_depend_on_the_size_of_reads(
            text in "[a,\"\n\r]{0,60}",
            cuts in prop::collection::vec(0usize..60, 0..6),
            lines in any::<bool>(),
        ) {
            let shape = if lines { Shape::LINES } else { CSV };
            let rows_of = |mut bytes: &[u8]| {
                let (mut fields, mut rows) = (Vec::new(), Vec::new());
                while !bytes.is_empty() {
                    let row = first_row(bytes, shape, &mut fields);
                    rows.push((row.text.to_vec(), row.ending.to_vec(), fields.clone()));
                    bytes = &bytes[row.length()..];
                }
                rows
            };
            let mut cuts: Vec<usize> = cuts.into_iter().map(|cut| cut.min(text.len())).collect();
            cuts.push(text.len());
            cuts.sort_unstable();
            let mut splitter = Splitter::new(shape);
            let (mut rows, mut buffer, mut from) = (Vec::new(), Vec::new(), 0);
            for cut in cuts {
                buffer.extend_from_slice(&text.as_bytes()[from..cut]);
                from = cut;
                let whole = splitter.whole_rows(&buffer);
                splitter.discard_whole_rows();
                rows.extend(rows_of(&buffer[..whole]));
                buffer.drain(..whole);
            }
            rows.extend(rows_of(&buffer));
            prop_assert_eq!(rows, rows_of(text.as_bytes()));
        }
    }
}
