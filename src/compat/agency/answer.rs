//! An answer: four values about it, then rows of columns, as CSV, XML or JSON.
//!
//! ```text
//! CSV   2026-08-21,1,1,1                  last update, count, page, pages
//!       1,7010001008844,01,…              the row's number in this answer, then its columns
//! XML   <corporations><lastUpdateDate>2026-08-21</lastUpdateDate>…<corporation>…<nameImageId/>…
//! JSON  {"lastUpdateDate":"2026-08-21",…,"announcement":[{"sequenceNumber":"1",…}]}
//! ```
//!
//! XML and JSON have no spaces between members, and every value of JSON is a string. Lines of Shift_JIS end with CR LF,
//! those of UTF-8 with LF: so do the agency's samples. The last line ends too.

use std::borrow::Cow;

use super::page::{Page, page_count};
use super::shift_jis;
use crate::api::pipeline::params::ApiRequest;
use crate::api::pipeline::reply::Reply;
use crate::json::{push_string, put};
use crate::text::codes::DataVersion;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    CsvShiftJis,
    CsvUtf8,
    Xml,
    Json,
}

impl Form {
    fn media(self) -> &'static str {
        match self {
            Form::CsvShiftJis => "text/csv; charset=Shift_JIS",
            Form::CsvUtf8 => "text/csv; charset=utf-8",
            Form::Xml => "application/xml; charset=utf-8",
            Form::Json => "application/json; charset=utf-8",
        }
    }
}

/// When CSV has a value in quotes. A value with a quote or a comma is never in a column without them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Quotes {
    Never,
    UnlessEmpty,
    Always,
}

#[derive(Debug, Clone, Copy)]
pub struct Column {
    pub name: &'static str,
    pub quotes: Quotes,
}

/// The columns of an API after the row's number, and the names of its elements.
#[derive(Debug)]
pub struct Layout<const N: usize> {
    pub root: &'static str,
    pub entry: &'static str,
    pub columns: [Column; N],
}

/// The values of a row in the order of the columns; empty for none.
pub type Row<'s, const N: usize> = [Cow<'s, str>; N];

/// The values before the rows.
#[derive(Debug, Clone, Copy)]
pub struct Header {
    pub updated: DataVersion,
    /// The rows on all pages.
    pub count: usize,
    pub page: Page,
}

const SEQUENCE_NUMBER: &str = "sequenceNumber";

impl Header {
    fn members(&self) -> [(&'static str, String); 4] {
        [
            ("lastUpdateDate", self.updated.to_string()),
            ("count", self.count.to_string()),
            ("divideNumber", self.page.number().to_string()),
            ("divideSize", page_count(self.count).to_string()),
        ]
    }
}

impl<const N: usize> Layout<N> {
    /// The reply with these rows, which are those of the header's page.
    pub fn reply(
        &self,
        request: &ApiRequest<'_>,
        form: Form,
        header: &Header,
        rows: &[Row<'_, N>],
    ) -> Reply {
        let body = self.body(form, header, rows);
        Reply::foreign_tagged(&request.head.headers, header.updated, form.media(), body)
    }

    fn body(&self, form: Form, header: &Header, rows: &[Row<'_, N>]) -> Vec<u8> {
        match form {
            Form::CsvShiftJis => shift_jis::encode(&self.csv(header, rows, "\r\n")),
            Form::CsvUtf8 => self.csv(header, rows, "\n").into_bytes(),
            Form::Xml => self.xml(header, rows).into_bytes(),
            Form::Json => self.json(header, rows),
        }
    }

    fn csv(&self, header: &Header, rows: &[Row<'_, N>], line_end: &str) -> String {
        let mut out = header.members().map(|(_, value)| value).join(",");
        out.push_str(line_end);
        for (index, row) in rows.iter().enumerate() {
            out.push_str(&(index + 1).to_string());
            for (column, value) in self.columns.iter().zip(row) {
                out.push(',');
                push_cell(&mut out, column.quotes, value);
            }
            out.push_str(line_end);
        }
        out
    }

    fn xml(&self, header: &Header, rows: &[Row<'_, N>]) -> String {
        let mut out = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>".to_owned();
        push_tag(&mut out, self.root, "<", ">");
        for (name, value) in header.members() {
            push_element(&mut out, name, &value);
        }
        for (index, row) in rows.iter().enumerate() {
            push_tag(&mut out, self.entry, "<", ">");
            push_element(&mut out, SEQUENCE_NUMBER, &(index + 1).to_string());
            for (column, value) in self.columns.iter().zip(row) {
                push_element(&mut out, column.name, value);
            }
            push_tag(&mut out, self.entry, "</", ">");
        }
        push_tag(&mut out, self.root, "</", ">");
        out
    }

    fn json(&self, header: &Header, rows: &[Row<'_, N>]) -> Vec<u8> {
        let mut out = Vec::new();
        let mut opening = "{";
        for (name, value) in header.members() {
            put(&mut out, &[opening, "\"", name, "\":\"", &value, "\""]);
            opening = ",";
        }
        put(&mut out, &[",\"", self.entry, "\":["]);
        for (index, row) in rows.iter().enumerate() {
            let opening = if index == 0 { "{\"" } else { ",{\"" };
            put(&mut out, &[opening, SEQUENCE_NUMBER, "\":\"", &(index + 1).to_string(), "\""]);
            for (column, value) in self.columns.iter().zip(row) {
                put(&mut out, &[",\"", column.name, "\":"]);
                push_string(&mut out, value);
            }
            put(&mut out, &["}"]);
        }
        put(&mut out, &["]}"]);
        out
    }
}

fn push_cell(out: &mut String, quotes: Quotes, value: &str) {
    let in_quotes = match quotes {
        Quotes::Never => false,
        Quotes::UnlessEmpty => !value.is_empty(),
        Quotes::Always => true,
    };
    if !in_quotes {
        return out.push_str(value);
    }
    out.push('"');
    out.push_str(&value.replace('"', "\"\""));
    out.push('"');
}

fn push_tag(out: &mut String, name: &str, opening: &str, closing: &str) {
    [opening, name, closing].iter().for_each(|part| out.push_str(part));
}

fn push_element(out: &mut String, name: &str, value: &str) {
    if value.is_empty() {
        return push_tag(out, name, "<", "/>");
    }
    push_tag(out, name, "<", ">");
    for letter in value.chars() {
        match letter {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            letter => out.push(letter),
        }
    }
    push_tag(out, name, "</", ">");
}

#[cfg(test)]
mod tests {
    use super::*;

    const LAYOUT: Layout<3> = Layout {
        root: "corporations",
        entry: "corporation",
        columns: [
            Column { name: "process", quotes: Quotes::Never },
            Column { name: "name", quotes: Quotes::UnlessEmpty },
            Column { name: "kana", quotes: Quotes::Always },
        ],
    };

    fn body(form: Form, rows: &[[&'static str; 3]]) -> Vec<u8> {
        let updated = DataVersion::parse("2026-08-21").expect("a date");
        let header = Header { updated, count: rows.len(), page: Page::FIRST };
        let rows: Vec<Row<'_, 3>> = rows.iter().map(|row| row.map(Cow::Borrowed)).collect();
        LAYOUT.body(form, &header, &rows)
    }

    fn text(form: Form, rows: &[[&'static str; 3]]) -> String {
        String::from_utf8(body(form, rows)).expect("UTF-8")
    }

    #[test]
    fn csv_has_a_bare_header_and_quotes_by_column() {
        let rows = [["01", "\"D\" Works, K.K.", ""], ["99", "", "台"]];
        let expected = "2026-08-21,2,1,1\n1,01,\"\"\"D\"\" Works, K.K.\",\"\"\n2,99,,\"台\"\n";
        assert_eq!(text(Form::CsvUtf8, &rows), expected);
        let shift_jis = body(Form::CsvShiftJis, &[["01", "髙", ""]]);
        assert_eq!(shift_jis, b"2026-08-21,1,1,1\r\n1,01,\"\x8d\x82\",\"\"\r\n");
    }

    #[test]
    fn xml_has_empty_elements_and_escapes() {
        let expected = "<?xml version=\"1.0\" encoding=\"UTF-8\"?><corporations>\
            <lastUpdateDate>2026-08-21</lastUpdateDate><count>1</count><divideNumber>1</divideNumber>\
            <divideSize>1</divideSize><corporation><sequenceNumber>1</sequenceNumber><process>01</process>\
            <name>A &amp; \"B\" &lt;C&gt;</name><kana/></corporation></corporations>";
        assert_eq!(text(Form::Xml, &[["01", "A & \"B\" <C>", ""]]), expected);
    }

    #[test]
    fn json_has_strings_only() {
        let expected = "{\"lastUpdateDate\":\"2026-08-21\",\"count\":\"1\",\"divideNumber\":\"1\",\"divideSize\":\"1\",\
            \"corporation\":[{\"sequenceNumber\":\"1\",\"process\":\"01\",\"name\":\"\\\"A\\\"\",\"kana\":\"\"}]}";
        assert_eq!(text(Form::Json, &[["01", "\"A\"", ""]]), expected);
    }

    #[test]
    fn nothing_found_has_no_pages() {
        assert_eq!(text(Form::CsvUtf8, &[]), "2026-08-21,0,1,0\n");
        let json = "{\"lastUpdateDate\":\"2026-08-21\",\"count\":\"0\",\"divideNumber\":\"1\",\"divideSize\":\"0\",\
            \"corporation\":[]}";
        assert_eq!(text(Form::Json, &[]), json);
        assert!(text(Form::Xml, &[]).ends_with("<divideSize>0</divideSize></corporations>"));
    }
}
