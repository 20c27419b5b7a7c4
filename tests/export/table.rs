//! Reads exported JSON lines and CSV into tables that tests compare.

use serde_json::Value;

#[derive(Debug, Clone, PartialEq)]
pub struct Table {
    pub names: Vec<String>,
    pub rows: Vec<Vec<Value>>,
}

/// Reads JSON lines; every line must have the same members in the same order.
pub fn json_lines(text: &str) -> Table {
    let mut table = Table { names: Vec::new(), rows: Vec::new() };
    for line in text.lines() {
        // serde_json's map sorts its names, so the order is read from the text.
        let object: serde_json::Map<String, Value> = serde_json::from_str(line).expect("JSON");
        let mut names: Vec<String> = object.keys().cloned().collect();
        names.sort_by_key(|name| line.find(&format!("\"{name}\":")).expect("a member"));
        if table.names.is_empty() {
            table.names = names;
        } else {
            assert_eq!(table.names, names, "every line has the same members");
        }
        table.rows.push(table.names.iter().map(|name| object[name].clone()).collect());
    }
    table
}

/// A field of a CSV: whether it stands in quotes, and its text.
pub type Field = (bool, String);

/// Reads a CSV strictly by RFC 4180.
pub fn csv(text: &str) -> Vec<Vec<Field>> {
    let mut rows = Vec::new();
    let mut letters = text.chars().peekable();
    while letters.peek().is_some() {
        let mut row = Vec::new();
        loop {
            let (mut field, mut quoted) = (String::new(), false);
            if letters.next_if_eq(&'"').is_some() {
                quoted = true;
                loop {
                    match letters.next().expect("a closing quote") {
                        '"' if letters.next_if_eq(&'"').is_some() => field.push('"'),
                        '"' => break,
                        letter => field.push(letter),
                    }
                }
            } else {
                while let Some(letter) = letters.next_if(|letter| !matches!(letter, ',' | '\r')) {
                    assert!(letter != '"' && letter != '\n', "{letter:?} outside of quotes");
                    field.push(letter);
                }
            }
            row.push((quoted, field));
            match letters.next().expect("every line ends") {
                ',' => {}
                '\r' => {
                    assert_eq!(letters.next(), Some('\n'));
                    break;
                }
                letter => panic!("{letter:?} after a field"),
            }
        }
        rows.push(row);
    }
    rows
}
