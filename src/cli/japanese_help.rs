//! The help in Japanese: every text of the tree of commands, translated by the table of texts.
//!
//! clap has no languages. So the headings are set for each command, and the notes on an option (default, variable,
//! possible values) are written here and hidden there. clap breaks lines at spaces, which Japanese does not have; here
//! they are broken anywhere but before a mark that must not begin a line.

use clap::builder::{PossibleValue, Resettable, StyledStr};
use clap::{Arg, Command};
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

use crate::language::{japanese, japanese_phrase};

/// The width of a terminal that everyone has.
const COLUMNS: usize = 80;

/// The width before the text of an option, which stands below its name.
const INDENT: usize = 10;

const OPTIONS: &str = "オプション";

/// The width before the text of a command in a list of them.
const LIST_INDENT: usize = 13;

/// Marks that must not begin a line.
const NOT_FIRST: &str =
    "、。，．・：；！？）］｝」』】〕ー々ぁぃぅぇぉっゃゅょァィゥェォッャュョ,.:;!?)]}%";

/// Marks that must not end a line.
const NOT_LAST: &str = "（［｛「『【〔([{";

/// The template of clap with another heading of the usage.
const TEMPLATE: &str = "{before-help}{about-with-newline}\n\x1b[1m\x1b[4m使い方:\x1b[0m {usage}\n\n{all-args}{after-help}";

/// The commands with their help in Japanese.
pub fn in_japanese(mut program: Command) -> Command {
    // Adds the options and the command for help.
    program.build();
    command(program)
}

fn command(command: Command) -> Command {
    let about = command.get_about().map(|text| lines(text, COLUMNS - LIST_INDENT));
    let long_about = command.get_long_about().or(command.get_about());
    let long_about = long_about.map(|text| lines(text, COLUMNS));
    let after = command.get_after_help().map(examples);
    let after_long = command.get_after_long_help().map(examples);
    command
        .help_template(TEMPLATE)
        .subcommand_help_heading("コマンド")
        .subcommand_value_name("コマンド")
        .term_width(0)
        .mut_args(argument)
        .mut_subcommands(self::command)
        .about(as_help(about))
        .long_about(as_help(long_about))
        .after_help(as_help(after))
        .after_long_help(as_help(after_long))
}

/// A text of the help; none where there was none before.
fn as_help(text: Option<String>) -> Resettable<StyledStr> {
    text.map(StyledStr::from).into()
}

fn argument(argument: Arg) -> Arg {
    let heading = match argument.get_help_heading() {
        Some(heading) => japanese_phrase(heading).unwrap_or(OPTIONS),
        None if argument.is_positional() => "引数",
        None => OPTIONS,
    };
    let columns = COLUMNS - INDENT;
    let notes = notes(&argument);
    let short = argument.get_help().map(|text| with_notes(text, &notes, columns));
    let values = described_values(&argument);
    let text = argument.get_long_help().or(argument.get_help().filter(|_| !values.is_empty()));
    let long = match text {
        Some(text) => Some(with_notes(text, &notes, columns) + &values),
        None => Some(values.trim_start().to_owned()).filter(|values| !values.is_empty()),
    };
    argument
        .help_heading(heading)
        .next_line_help(true)
        .hide_default_value(true)
        .hide_env(true)
        .hide_possible_values(true)
        .help(as_help(short))
        .long_help(as_help(long))
}

/// What clap adds to the help of an option.
fn notes(argument: &Arg) -> Vec<String> {
    let mut notes = Vec::new();
    if let Some(variable) = argument.get_env().filter(|_| !argument.is_hide_env_set()) {
        notes.push(format!("[環境変数: {}]", variable.to_string_lossy()));
    }
    if !argument.get_action().takes_values() {
        return notes;
    }
    let defaults = argument.get_default_values();
    if !defaults.is_empty() && !argument.is_hide_default_value_set() {
        let texts: Vec<_> = defaults.iter().map(|value| value.to_string_lossy()).collect();
        notes.push(format!("[デフォルト: {}]", texts.join(", ")));
    }
    let values = shown_values(argument);
    if !values.is_empty() {
        let names: Vec<_> = values.iter().map(PossibleValue::get_name).collect();
        notes.push(format!("[指定できる値: {}]", names.join(", ")));
    }
    notes
}

fn shown_values(argument: &Arg) -> Vec<PossibleValue> {
    if argument.is_hide_possible_values_set() {
        return Vec::new();
    }
    argument.get_possible_values().into_iter().filter(|value| !value.is_hide_set()).collect()
}

/// A line for each possible value, if one has a text.
fn described_values(argument: &Arg) -> String {
    let values = shown_values(argument);
    if values.iter().all(|value| value.get_help().is_none()) {
        return String::new();
    }
    let described = values.iter().map(|value| {
        let text = value.get_help().map(|text| format!(": {}", line(&text.to_string())));
        let text = format!("- {}{}", value.get_name(), text.unwrap_or_default());
        format!("\n{}", broken(&text, COLUMNS - INDENT))
    });
    format!("\n{}", described.collect::<String>())
}

fn with_notes(text: &StyledStr, notes: &[String], columns: usize) -> String {
    let mut text = lines(text, columns);
    for note in notes {
        let last = text.rsplit('\n').next().unwrap_or_default();
        text.push(if last.width() + 1 + note.width() > columns { '\n' } else { ' ' });
        text.push_str(&broken(note, columns));
    }
    text
}

/// The lines of a text, translated and broken.
fn lines(text: &StyledStr, columns: usize) -> String {
    let text = text.to_string();
    text.split('\n').map(|text| broken(&line(text), columns)).collect::<Vec<_>>().join("\n")
}

/// A line in Japanese, with its indentation. clap takes the full stop from some.
fn line(line: &str) -> String {
    let text = line.trim_start();
    let indent = &line[..line.len() - text.len()];
    let sentence = || Some(japanese(text.strip_suffix('.')?)? + "。");
    let text = japanese(text).or_else(sentence).unwrap_or_else(|| text.to_owned());
    format!("{indent}{text}")
}

/// The examples below a help, whose lines are commands.
fn examples(text: &StyledStr) -> String {
    text.ansi().to_string().replace("Examples:", "例:")
}

/// A line with breaks where it is too wide. Words in ASCII stay whole.
fn broken(text: &str, columns: usize) -> String {
    let (mut out, mut width) = (String::new(), 0);
    for piece in pieces(text) {
        let wide = piece.trim_end().width();
        if width > 0 && width + wide > columns {
            out.truncate(out.trim_end_matches(' ').len());
            out.push('\n');
            width = 0;
        }
        out.push_str(piece);
        width += piece.width();
    }
    out
}

/// The parts of a line between which it may break.
fn pieces(text: &str) -> Vec<&str> {
    let (mut pieces, mut begin, mut before) = (Vec::new(), 0, None::<char>);
    for (at, letter) in text.char_indices() {
        if before.is_some_and(|before| may_break(before, letter)) {
            pieces.push(&text[begin..at]);
            begin = at;
        }
        before = Some(letter);
    }
    pieces.push(&text[begin..]);
    pieces
}

fn may_break(before: char, after: char) -> bool {
    let is_wide = |letter: char| letter.width().is_some_and(|width| width == 2);
    let is_between = before == ' ' || is_wide(before) || is_wide(after);
    is_between && after != ' ' && !NOT_FIRST.contains(after) && !NOT_LAST.contains(before)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_breaks_at_its_width_but_not_inside_words_or_before_marks() {
        for (text, columns, expected) in [
            ("あいうえお", 6, "あいう\nえお"),
            ("あいう。え", 6, "あい\nう。え"),
            ("あ--listenい", 8, "あ\n--listen\nい"),
            ("a bb ccc", 4, "a bb\nccc"),
            ("（あ）い", 4, "（あ）\nい"),
            ("", 4, ""),
        ] {
            assert_eq!(broken(text, columns), expected, "{text}");
        }
    }
}
