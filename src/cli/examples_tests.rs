//! Every command has examples in its help, and the parser accepts each of them. The examples are not run.

use clap::Command;
use clap::error::ErrorKind;

use super::command;

/// Splits a line into words like a shell: quotes keep a word together.
fn words(line: &str) -> Vec<String> {
    let (mut words, mut word, mut quote) = (Vec::new(), String::new(), None);
    for letter in line.chars() {
        match (letter, quote) {
            ('\'' | '"', None) => quote = Some(letter),
            (letter, Some(open)) if letter == open => quote = None,
            (' ', None) => words.push(std::mem::take(&mut word)),
            _ => word.push(letter),
        }
    }
    words.push(word);
    words.retain(|word| !word.is_empty());
    words
}

/// The examples of a command, without the other parts of a pipe.
fn examples(command: &Command) -> Vec<String> {
    let text = command.get_after_help().map(ToString::to_string).unwrap_or_default();
    let lines = text.lines().skip_while(|line| !line.contains("Examples:")).skip(1);
    let called = lines.flat_map(|line| line.split(" | ")).map(str::trim);
    called.filter(|part| part.starts_with("daicho ")).map(str::to_owned).collect()
}

fn visit(command: &Command, path: &str, check: &mut impl FnMut(&Command, &str)) {
    for inner in command.get_subcommands().filter(|inner| inner.get_name() != "help") {
        let path = format!("{path} {}", inner.get_name());
        check(inner, &path);
        visit(inner, &path, check);
    }
}

#[test]
fn every_command_has_examples_of_itself_that_parse() {
    let mut seen = 0;
    visit(&command(), "daicho", &mut |inner, path| {
        let found = examples(inner);
        assert!(!found.is_empty(), "{path} has no examples");
        for line in found {
            assert!(line.starts_with(path), "{path}: {line}");
            let parsed = command().try_get_matches_from(words(&line));
            if let Err(error) = parsed {
                panic!("{line}: {error}");
            }
            seen += 1;
        }
    });
    assert!(seen > 40, "{seen} examples");
}

#[test]
fn a_line_with_an_unknown_option_is_refused() {
    let parsed = command().try_get_matches_from(words("daicho serve --no-such-option 'a b'"));
    assert_eq!(parsed.expect_err("refused").kind(), ErrorKind::UnknownArgument);
    assert_eq!(words("a 'b c' --d \"e f\""), ["a", "b c", "--d", "e f"]);
}
