//! Splits a text into rows, and a row into fields.
//!
//! A field that begins with a quote extends to its closing quote; any other quote is text. Rows and fields are
//! ranges of the input's bytes, in UTF-8 and Shift_JIS alike: no second byte of either is a quote, a comma, a tab
//! or a line break.

use std::ops::Range;

use memchr::{memchr, memchr2, memrchr};

const QUOTE: u8 = b'"';
const NEWLINE: u8 = b'\n';

/// How a text is divided into fields.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shape {
    /// Each line is one field; quotes have no meaning.
    Lines,
    /// A row has fields with this byte between them, as in a CSV.
    Fields { delimiter: u8 },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Row<'a> {
    /// The row without its line break.
    pub text: &'a [u8],
    /// LF, CR LF, or empty after the last row.
    pub ending: &'a [u8],
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
    let Shape::Fields { delimiter } = shape else {
        let row = row_until(bytes, memchr(NEWLINE, bytes));
        fields.push(0..row.text.len());
        return row;
    };
    let mut position = 0;
    loop {
        let start = position;
        if bytes.get(position) == Some(&QUOTE) {
            position = closing_quote_end(bytes, position + 1);
        }
        let found = memchr2(delimiter, NEWLINE, &bytes[position..]).map(|found| position + found);
        if let Some(found) = found
            && bytes[found] == delimiter
        {
            fields.push(start..found);
            position = found + 1;
        } else {
            let row = row_until(bytes, found);
            fields.push(start..row.text.len());
            return row;
        }
    }
}

/// The row that ends at this newline, or with the text.
fn row_until(bytes: &[u8], newline: Option<usize>) -> Row<'_> {
    let Some(newline) = newline else { return Row { text: bytes, ending: &[] } };
    let end = newline - usize::from(newline > 0 && bytes[newline - 1] == b'\r');
    Row { text: &bytes[..end], ending: &bytes[end..=newline] }
}

/// The position after the closing quote of a field whose content begins at `position`.
fn closing_quote_end(bytes: &[u8], mut position: usize) -> usize {
    while let Some(found) = memchr(QUOTE, &bytes[position..]) {
        position += found + 1;
        if bytes.get(position) != Some(&QUOTE) {
            return position;
        }
        position += 1;
    }
    bytes.len()
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

/// Finds how much of a growing buffer is whole rows; examines each byte once.
#[derive(Debug)]
pub struct Splitter {
    shape: Shape,
    state: State,
    /// The first byte that was not examined.
    examined: usize,
    /// The end of the last whole row.
    rows_end: usize,
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
        Splitter { shape, state: State::FieldStart, examined: 0, rows_end: 0 }
    }

    /// How many bytes at the beginning are whole rows; the bytes of the previous call must still be there.
    pub fn whole_rows(&mut self, bytes: &[u8]) -> usize {
        match self.shape {
            Shape::Lines => {
                if let Some(found) = memrchr(NEWLINE, &bytes[self.examined..]) {
                    self.rows_end = self.examined + found + 1;
                }
            }
            Shape::Fields { delimiter } => self.scan(bytes, delimiter),
        }
        self.examined = bytes.len();
        self.rows_end
    }

    /// To be called after the caller removed the whole rows from the front of the buffer.
    pub fn discard_whole_rows(&mut self) {
        self.examined -= self.rows_end;
        self.rows_end = 0;
    }

    fn scan(&mut self, bytes: &[u8], delimiter: u8) {
        let mut position = self.examined;
        while position < bytes.len() {
            let rest = &bytes[position..];
            let found = match self.state {
                State::FieldStart | State::QuoteSeen if rest[0] == QUOTE => {
                    self.state = State::Quoted;
                    Some(0)
                }
                State::Quoted => memchr(QUOTE, rest).inspect(|_| self.state = State::QuoteSeen),
                State::FieldStart | State::QuoteSeen | State::Plain => {
                    self.state = State::Plain;
                    memchr2(delimiter, NEWLINE, rest).inspect(|&found| {
                        self.state = State::FieldStart;
                        if rest[found] == NEWLINE {
                            self.rows_end = position + found + 1;
                        }
                    })
                }
            };
            position = found.map_or(bytes.len(), |found| position + found + 1);
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const CSV: Shape = Shape::Fields { delimiter: b',' };

    fn rows(text: &str, shape: Shape) -> Vec<(Vec<String>, String)> {
        let mut bytes = text.as_bytes();
        let (mut fields, mut buffer, mut out) = (Vec::new(), Vec::new(), Vec::new());
        while !bytes.is_empty() {
            let row = first_row(bytes, shape, &mut fields);
            let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
            let values = fields.iter().map(|field| match shape {
                Shape::Lines => text(&row.text[field.clone()]),
                Shape::Fields { .. } => text(value(&row.text[field.clone()], &mut buffer)),
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
        // An unclosed quote: the rest of the text belongs to the field.
        check("\"a,b\nc", &[(&["a,b\nc"], "")]);
        check("\"", &[(&[""], "")]);
        // A lone CR is part of the field.
        check("a\rb\n", &[(&["a\rb"], "\n")]);
    }

    #[test]
    fn lines_have_no_quotes() {
        let found = rows("\"a\nb,c\r\n\n", Shape::Lines);
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
            let shape = if lines { Shape::Lines } else { CSV };
            let mut expected = 0;
            let mut fields = Vec::new();
            while expected < text.len() {
                let row = first_row(&text.as_bytes()[expected..], shape, &mut fields);
                if row.ending.is_empty() {
                    break;
                }
                expected += row.length();
            }
            let mut cuts: Vec<usize> = cuts.into_iter().map(|cut| cut.min(text.len())).collect();
            cuts.push(text.len());
            cuts.sort_unstable();
            let mut splitter = Splitter::new(shape);
            let (mut taken, mut buffer, mut from) = (0, Vec::new(), 0);
            for cut in cuts {
                buffer.extend_from_slice(&text.as_bytes()[from..cut]);
                from = cut;
                let whole = splitter.whole_rows(&buffer);
                splitter.discard_whole_rows();
                buffer.drain(..whole);
                taken += whole;
            }
            prop_assert_eq!(taken, expected);
        }
    }
}
