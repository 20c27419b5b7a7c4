//! Checks that the table of Japanese texts is complete: every text of the help, of an error and of the result of a command
//! has a row, and no row is left over.
//!
//! A text is a message if an error is made of it: `#[error("…")]`, the arguments of [`MAKERS`], a variable of
//! [`VARIABLES`], a member of [`FIELDS`], what a `Display` writes. Elsewhere a text counts that says what was expected or
//! found. A result is put together in many places of [`COMMANDS`], so every text there counts, except the files of
//! [`NOT_PRINTED`] and the texts of [`NAMES`]; and the arguments of [`REPORTERS`] anywhere. A text within a message has a
//! row if it has a space: `waiting searches`, but not `postal`, which is a name. A noun that `counted` puts behind a
//! number has a row for one and for several.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use daicho::text::numerals::counted;
use regex::Regex;
use syn::buffer::{Cursor, TokenBuffer};
use syn::punctuated::Punctuated;
use syn::visit::{self, Visit};
use syn::{Attribute, Expr, ImplItem, Item, Lit, Member, Meta, Pat, Token};

use super::shipped_code::{attributes, is_test_only};
use super::{PACKAGES, files, is_test_file, root};

/// The functions that make an error of a text.
const MAKERS: [&str; 8] = [
    "ApiError::new",
    "ApiError::in_parameter",
    "CommandError::Failed",
    "CommandError::Usage",
    "CommandError::Damaged",
    "CommandError::failed",
    "CommandError::usage",
    "parse_visible",
];

/// The variables that hold a message or a part of one.
const VARIABLES: [&str; 4] = ["detail", "message", "reason", "remedy"];

/// The members of errors that hold a part of a message.
const FIELDS: [&str; 4] = ["expected", "form", "found", "remedy"];

/// Macros whose texts nobody reads in an answer: the log, tests of invariants, pages.
const OTHER_MACROS: [&str; 10] = [
    "assert",
    "debug",
    "debug_assert",
    "error",
    "html",
    "info",
    "json",
    "panic",
    "unreachable",
    "warn",
];

/// Rooms and files with texts of their own: pages in both languages, the documentation, foreign protocols, agents.
const OTHER_TEXTS: [&str; 14] = [
    "src/api/table/",
    "src/api/pipeline/notice.rs",
    "src/compat/agency/",
    "src/compat/files.rs",
    "src/compat/geolonia/",
    "src/compat/heartrails.rs",
    "src/compat/holidays_jp.rs",
    "src/compat/nta/",
    "src/compat/ttskch.rs",
    "src/dashboard/pages/",
    "src/dashboard/words.rs",
    "src/docs/",
    "src/forms/",
    "src/mcp/",
];

/// The folder of the commands.
const COMMANDS: &str = "src/cli/";

/// Files of [`COMMANDS`] whose texts are no results of commands, and why.
const NOT_PRINTED: [(&str, &str); 4] = [
    ("src/cli/corrections_template.rs", "a file, which is the same in every language"),
    ("src/cli/examples.rs", "commands to type"),
    ("src/cli/japanese_help.rs", "Japanese"),
    ("src/cli/serve/", "the log and the metrics; the lines of the start have both languages"),
];

/// Texts of [`COMMANDS`] that are the same in every language, and why. So are the cells of tables (`fn cells`), members of
/// JSON (`fn json`), and commands to type.
const NAMES: [(&str, &str); 10] = [
    ("a register", "only listed values get there"),
    ("no language", "only listed values get there"),
    ("left out", "a value in JSON"),
    ("status {status}", "a cell of a table"),
    ("webhook key", "the name of a check"),
    ("{name} (next)", "a cell of a table"),
    ("{kind:<10} {version}  {bytes:>12} bytes  {}", "a row of a table"),
    ("uid {}", "an entry of the log of operations"),
    ("unix:{} /readyz", "an address"),
    ("{command}, process {process} of {}", "the name of the holder of a lock"),
];

/// The methods that report what a command does, from anywhere.
const REPORTERS: [&str; 3] = ["report_step", "step", "warn"];

/// The file whose rows are not texts of this project: those of clap, the library and the system.
const OUTSIDE: &str = "outside.txt";

const HELP: &str = "help.txt";

/// The texts of the source files.
#[derive(Default)]
struct Texts {
    /// Those that need a row, and the file of each.
    messages: BTreeMap<String, String>,
    /// Every text and every line of one.
    all: BTreeSet<String>,
    /// The nouns that are counted.
    nouns: BTreeSet<String>,
    file: String,
    /// In how many parts of a message the visited code is.
    depth: usize,
}

impl Texts {
    fn read() -> Texts {
        let mut texts = Texts::default();
        for path in PACKAGES.iter().flat_map(|package| files(&root().join(package), "rs")) {
            if is_test_file(&path) {
                continue;
            }
            let inside = path.strip_prefix(root()).expect("below the root");
            texts.file = inside.to_string_lossy().into_owned();
            let code = fs::read_to_string(&path).expect("a source file");
            texts.visit_file(&syn::parse_file(&code).expect("it compiles"));
        }
        texts
    }

    fn add(&mut self, text: &str) {
        self.all.insert(text.trim_end_matches('\n').to_owned());
        for line in text.lines() {
            self.all.insert(line.trim().to_owned());
            if self.is_printed() && line.contains(' ') && has_words(line) && !is_same(line) {
                self.messages.entry(line.to_owned()).or_insert_with(|| self.file.clone());
            }
        }
        let begins = ["cannot ", "expected ", "found "].iter().any(|word| text.starts_with(word));
        let is_message =
            self.depth > 0 && text.contains(' ') || begins || text.contains("; found ");
        let is_elsewhere = OTHER_TEXTS.iter().any(|start| self.file.starts_with(start));
        if is_message && !is_elsewhere && has_words(text) {
            self.messages.entry(text.to_owned()).or_insert_with(|| self.file.clone());
        }
    }

    /// Whether the texts of the visited file are results of commands.
    fn is_printed(&self) -> bool {
        let is_other = NOT_PRINTED.iter().any(|(start, _why)| self.file.starts_with(start));
        self.file.starts_with(COMMANDS) && !is_other
    }

    /// The texts in the arguments of a macro that are no expressions.
    fn add_tokens(&mut self, mut tokens: Cursor<'_>) {
        while let Some((_, next)) = tokens.token_tree() {
            if let Some((inside, ..)) = tokens.any_group() {
                self.add_tokens(inside);
            } else if let Some((literal, _)) = tokens.literal()
                && let Lit::Str(text) = Lit::new(literal)
            {
                self.add(&text.value());
            }
            tokens = next;
        }
    }

    fn within(&mut self, is_message: bool, visit: impl FnOnce(&mut Texts)) {
        self.depth += usize::from(is_message);
        visit(self);
        self.depth -= usize::from(is_message);
    }
}

impl<'ast> Visit<'ast> for Texts {
    fn visit_attribute(&mut self, attribute: &'ast Attribute) {
        if let Meta::List(list) = &attribute.meta
            && (list.path.is_ident("error") || list.path.is_ident("display"))
            && let Some((literal, _)) = TokenBuffer::new2(list.tokens.clone()).begin().literal()
            && let Lit::Str(text) = Lit::new(literal)
        {
            self.within(true, |texts| texts.add(&text.value()));
        }
    }

    fn visit_item(&mut self, item: &'ast Item) {
        let is_display = match item {
            Item::Impl(block) => block.trait_.as_ref().is_some_and(|(path, _)| {
                path.segments.last().is_some_and(|last| last.ident == "Display")
            }),
            _ => false,
        };
        if !is_test_only(attributes(item)) {
            self.within(is_display, |texts| visit::visit_item(texts, item));
        }
    }

    fn visit_impl_item(&mut self, item: &'ast ImplItem) {
        let is_other = match item {
            ImplItem::Fn(function) => {
                let is_record = ["cells", "json"].iter().any(|name| function.sig.ident == name);
                is_test_only(&function.attrs) || self.is_printed() && is_record
            }
            _ => false,
        };
        if !is_other {
            visit::visit_impl_item(self, item);
        }
    }

    fn visit_local(&mut self, local: &'ast syn::Local) {
        let is_message = match &local.pat {
            Pat::Ident(name) => VARIABLES.iter().any(|known| name.ident == known),
            _ => false,
        };
        self.within(is_message, |texts| visit::visit_local(texts, local));
    }

    fn visit_field_value(&mut self, field: &'ast syn::FieldValue) {
        let is_message = match &field.member {
            Member::Named(name) => FIELDS.iter().any(|known| name == known),
            Member::Unnamed(_) => false,
        };
        self.within(is_message, |texts| visit::visit_field_value(texts, field));
    }

    fn visit_expr_call(&mut self, call: &'ast syn::ExprCall) {
        let names: Vec<_> = match &*call.func {
            Expr::Path(function) => {
                function.path.segments.iter().map(|part| part.ident.to_string()).collect()
            }
            _ => Vec::new(),
        };
        let last = names.len().saturating_sub(2);
        let is_message = MAKERS.contains(&names[last..].join("::").as_str());
        match names.last().map(String::as_str) {
            Some("counted") => self.nouns.extend(call.args.iter().filter_map(text_of)),
            // The name of an action, for the log of operations.
            Some("record_operation") => {
                let others = call.args.iter().filter(|argument| text_of(argument).is_none());
                others.for_each(|argument| self.visit_expr(argument));
            }
            _ => self.within(is_message, |texts| visit::visit_expr_call(texts, call)),
        }
    }

    fn visit_expr_method_call(&mut self, call: &'ast syn::ExprMethodCall) {
        let method = call.method.to_string();
        match method.as_str() {
            // The text says why it cannot fail.
            "expect" => self.visit_expr(&call.receiver),
            // The help has a test of its own.
            "help" => {
                self.visit_expr(&call.receiver);
                self.all.extend(call.args.iter().filter_map(text_of));
            }
            _ => self.within(REPORTERS.contains(&method.as_str()), |texts| {
                visit::visit_expr_method_call(texts, call);
            }),
        }
    }

    fn visit_lit_str(&mut self, text: &'ast syn::LitStr) {
        self.add(&text.value());
    }

    fn visit_macro(&mut self, call: &'ast syn::Macro) {
        let name = call.path.segments.last().map(|name| name.ident.to_string());
        if OTHER_MACROS.contains(&name.unwrap_or_default().as_str()) {
            return;
        }
        match call.parse_body_with(Punctuated::<Expr, Token![,]>::parse_terminated) {
            Ok(arguments) => arguments.iter().for_each(|argument| self.visit_expr(argument)),
            Err(_) => self.add_tokens(TokenBuffer::new2(call.tokens.clone()).begin()),
        }
    }
}

/// The text of an expression that is one.
fn text_of(expression: &Expr) -> Option<String> {
    match expression {
        Expr::Lit(syn::ExprLit { lit: Lit::Str(text), .. }) => Some(text.value()),
        _ => None,
    }
}

/// Whether a text is the same in every language: a name or a command.
fn is_same(text: &str) -> bool {
    let is_name = NAMES.iter().any(|(name, _why)| *name == text);
    is_name || text.trim().starts_with("daicho ") || text.contains("| daicho ")
}

/// Whether a text says something outside its holes, in words and not only in names of options.
fn has_words(text: &str) -> bool {
    let mut depth = 0;
    let outside: String = text
        .chars()
        .filter(|letter| {
            depth += i32::from(*letter == '{') - i32::from(*letter == '}');
            depth == 0
        })
        .collect();
    let is_word =
        |word: &&str| !word.trim_start_matches('(').starts_with("--") && *word != "daicho:";
    let mut words = outside.split_whitespace().filter(is_word);
    words.any(|word| {
        let letters: Vec<char> = word.chars().filter(char::is_ascii_alphabetic).collect();
        letters.len() > 2 && letters.iter().any(char::is_ascii_lowercase)
    })
}

/// The English of the rows of a file.
fn rows(path: &Path) -> Vec<String> {
    let text = fs::read_to_string(path).expect("a file of the table");
    let lines = text.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    lines.step_by(2).map(str::to_owned).collect()
}

/// The rows of the table by the names of its files.
fn table() -> BTreeMap<String, Vec<String>> {
    let paths = files(&root().join("src/language/texts"), "txt").into_iter();
    let name = |path: &Path| path.file_name().expect("a name").to_string_lossy().into_owned();
    paths.map(|path| (name(&path), rows(&path))).collect()
}

#[test]
fn every_error_and_result_has_a_japanese_text() {
    let (texts, table) = (Texts::read(), table());
    assert!(texts.messages.len() > 500, "too few texts found: {}", texts.messages.len());
    let known: BTreeSet<&String> = table.values().flatten().collect();
    // What is appended to a message stands in a row with it.
    let is_known = |text: &String| {
        let is_end = text.starts_with([' ', ',', ';']) || text.ends_with(": ");
        let is_row = known.contains(text) || known.iter().any(|row| *row == text.trim());
        is_row || is_end && known.iter().any(|row| row.contains(text.as_str()))
    };
    let missing: Vec<_> = texts.messages.iter().filter(|(text, _)| !is_known(text)).collect();
    let missing: Vec<_> = missing.iter().map(|(text, file)| format!("{file}: {text}")).collect();
    assert!(missing.is_empty(), "add these texts to src/language/texts:\n{}", missing.join("\n"));
}

#[test]
fn every_noun_with_a_number_has_a_japanese_text() {
    let (texts, table) = (Texts::read(), table());
    assert!(texts.nouns.len() > 20, "too few nouns found: {}", texts.nouns.len());
    let known: BTreeSet<&String> = table.values().flatten().collect();
    let rows = texts.nouns.iter().flat_map(|noun| {
        let several = counted(2, noun).replacen('2', "{count}", 1);
        [counted(1, noun), several]
    });
    let missing: Vec<_> = rows.filter(|row| !known.contains(row)).collect();
    assert!(missing.is_empty(), "add these counts to outside.txt:\n{}", missing.join("\n"));
}

#[test]
fn no_japanese_text_is_left_over() {
    let (texts, table) = (Texts::read(), table());
    let help = help();
    let own = table.iter().filter(|(file, _)| *file != OUTSIDE);
    let left: Vec<_> = own
        .flat_map(|(file, rows)| rows.iter().map(move |row| (file, row)))
        .filter(|(_, row)| !texts.all.contains(*row) && !help.contains(*row))
        .map(|(file, row)| format!("{file}: {row}"))
        .collect();
    assert!(left.is_empty(), "no code has these texts; remove their rows:\n{}", left.join("\n"));
}

#[test]
fn the_help_of_every_command_and_option_has_a_japanese_text() {
    let table = table();
    let known: BTreeSet<&String> = table[HELP].iter().chain(&table[OUTSIDE]).collect();
    let help = help();
    assert!(help.len() > 300, "too few texts found: {}", help.len());
    // The names in some texts come from a list in the code.
    let with_holes: Vec<Regex> = table[HELP].iter().filter_map(|row| pattern(row)).collect();
    let is_known = |text: &String| {
        known.contains(text) || with_holes.iter().any(|pattern| pattern.is_match(text))
    };
    let missing: Vec<_> = help.iter().filter(|text| !is_known(text)).cloned().collect();
    assert!(missing.is_empty(), "add these to help.txt:\n{}", missing.join("\n"));
}

/// The texts that a row of the help with holes stands for.
fn pattern(row: &str) -> Option<Regex> {
    let parts: Vec<&str> = row.split(['{', '}']).collect();
    let literals = parts.iter().step_by(2).map(|literal| regex::escape(literal));
    let pattern = literals.collect::<Vec<_>>().join("[^;。]+");
    (parts.len() > 1)
        .then(|| Regex::new(&format!("^{pattern}$")).expect("the literals are escaped"))
}

/// The lines of the help of all commands, except paths and names of files.
fn help() -> BTreeSet<String> {
    let mut program = daicho::cli::command();
    program.build();
    let mut texts = Vec::new();
    add_help(&program, &mut texts);
    let lines = texts.iter().flat_map(|text| text.lines()).map(str::trim);
    // clap takes the full stop from the first sentence.
    let lines = lines.filter(|line| !line.starts_with('/') && has_words(line));
    let lines: BTreeSet<String> = lines.map(str::to_owned).collect();
    let is_repeated =
        |line: &String| line.strip_suffix('.').is_some_and(|sentence| lines.contains(sentence));
    lines.iter().filter(|line| !is_repeated(line)).cloned().collect()
}

fn add_help(command: &clap::Command, texts: &mut Vec<String>) {
    let of_command = [command.get_about(), command.get_long_about(), command.get_before_help()];
    texts.extend(of_command.into_iter().flatten().map(ToString::to_string));
    for argument in command.get_arguments() {
        let of_argument = [argument.get_help(), argument.get_long_help()];
        texts.extend(of_argument.into_iter().flatten().map(ToString::to_string));
        texts.extend(argument.get_help_heading().map(str::to_owned));
        let values = argument.get_possible_values();
        texts.extend(values.iter().filter_map(|value| value.get_help()).map(ToString::to_string));
    }
    for inner in command.get_subcommands() {
        add_help(inner, texts);
    }
}
