//! Printing the results of commands.

use std::io::{self, Write};

use super::error::CommandError;

pub fn print(out: &mut dyn Write, text: &[u8]) -> Result<(), CommandError> {
    out.write_all(text).map_err(output_error)
}

/// Prints the JSON response of the API on one line.
pub fn print_json(
    out: &mut dyn Write,
    write: impl FnOnce(&mut Vec<u8>),
) -> Result<(), CommandError> {
    let mut json = Vec::new();
    write(&mut json);
    json.push(b'\n');
    print(out, &json)
}

pub fn output_error(error: io::Error) -> CommandError {
    CommandError::Failed(format!("cannot write the output: {error}"))
}

/// A number with its noun: `1 record`, `2 records`, `2 branches`, `2 addresses`, `2 deliveries`.
pub fn counted(count: u64, one: &str) -> String {
    let (stem, ending) = match one.strip_suffix('y') {
        _ if count == 1 => (one, ""),
        Some(stem) if !stem.ends_with(['a', 'e', 'o', 'u']) => (stem, "ies"),
        _ if one.ends_with("ch") || one.ends_with('s') => (one, "es"),
        _ => (one, "s"),
    };
    format!("{count} {stem}{ending}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nouns_are_singular_or_plural() {
        for (count, one, expected) in [
            (0, "row", "0 rows"),
            (1, "address", "1 address"),
            (2, "address", "2 addresses"),
            (3, "branch", "3 branches"),
            (1, "day", "1 day"),
            (2, "day", "2 days"),
            (1, "delivery", "1 delivery"),
            (0, "delivery", "0 deliveries"),
        ] {
            assert_eq!(counted(count, one), expected);
        }
    }
}
