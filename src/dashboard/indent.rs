//! JSON for people to read: the members in the order of the answer, a line each.

/// The document with line breaks and two blanks a level. What is no JSON comes out with odd breaks
/// and nothing lost. At most `bytes_max` bytes are written, then an ellipsis.
pub fn indented(json: &str, bytes_max: usize) -> String {
    let mut out = String::with_capacity(json.len() * 2);
    let (mut depth, mut in_string, mut is_escaped) = (0_usize, false, false);
    let mut characters = json.chars().peekable();
    while let Some(character) = characters.next() {
        if out.len() > bytes_max {
            out.push_str("\n…");
            break;
        }
        if in_string {
            out.push(character);
            (in_string, is_escaped) = match character {
                '"' if !is_escaped => (false, false),
                '\\' => (true, !is_escaped),
                _ => (true, false),
            };
            continue;
        }
        match character {
            '"' => {
                in_string = true;
                out.push('"');
            }
            '{' | '[' => {
                out.push(character);
                if let Some(end @ ('}' | ']')) = characters.peek().copied() {
                    out.push(end);
                    characters.next();
                } else {
                    depth += 1;
                    line(&mut out, depth);
                }
            }
            '}' | ']' => {
                depth = depth.saturating_sub(1);
                line(&mut out, depth);
                out.push(character);
            }
            ',' => {
                out.push(',');
                line(&mut out, depth);
            }
            ':' => out.push_str(": "),
            character if character.is_ascii_whitespace() => {}
            other => out.push(other),
        }
    }
    out
}

fn line(out: &mut String, depth: usize) {
    out.push('\n');
    for _ in 0..depth.min(32) {
        out.push_str("  ");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_document_keeps_its_order_and_its_strings() {
        let json = r#"{"b":[1,{"a":"x,{\"y\\"}],"a":{},"c":[],"d":null}"#;
        let expected = "{\n  \"b\": [\n    1,\n    {\n      \"a\": \"x,{\\\"y\\\\\"\n    }\n  ],\n  \
                        \"a\": {},\n  \"c\": [],\n  \"d\": null\n}";
        assert_eq!(indented(json, 10_000), expected);
        assert!(indented(json, 20).ends_with("\n…"));
        for odd in ["", "}", "[[[", "\"\\", "{]"] {
            let _ = indented(odd, 100);
        }
    }
}
