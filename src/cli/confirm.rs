//! Asks for confirmation on the terminal before irreversible actions.

use std::io::{self, BufRead, IsTerminal, Write};

use super::error::CommandError;

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
    match is_agreed(action, &mut io::stdin().lock(), &mut io::stderr()) {
        Ok(true) => Ok(()),
        Ok(false) => Err(CommandError::BadInput("cancelled; nothing was changed".to_owned())),
        Err(error) => Err(CommandError::BadInput(format!(
            "cannot read the answer from the terminal: {error}"
        ))),
    }
}

/// Whether the answer is yes. Anything else means no, including the end of the input.
fn is_agreed(action: &str, answers: &mut dyn BufRead, asked: &mut dyn Write) -> io::Result<bool> {
    write!(asked, "Really {action}? It cannot be undone. [y/N] ")?;
    asked.flush()?;
    let mut answer = String::new();
    answers.read_line(&mut answer)?;
    Ok(["y", "yes"].contains(&answer.trim().to_ascii_lowercase().as_str()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_yes_agrees() {
        for (answer, expected) in [
            ("y\n", true),
            ("Yes\r\n", true),
            ("\n", false),
            ("", false),
            ("n\n", false),
            ("yeah\n", false),
            ("n\ny\n", false),
        ] {
            let mut asked = Vec::new();
            let found = is_agreed("delete it", &mut answer.as_bytes(), &mut asked);
            assert_eq!(found.expect("readable"), expected, "{answer:?}");
            assert_eq!(asked, b"Really delete it? It cannot be undone. [y/N] ");
        }
        assert!(is_agreed("delete it", &mut &b"\xff\n"[..], &mut Vec::new()).is_err());
    }
}
