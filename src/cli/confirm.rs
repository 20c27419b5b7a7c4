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
    match is_confirmed(action, &mut io::stdin().lock(), &mut io::stderr()) {
        Ok(true) => Ok(()),
        Ok(false) => Err(CommandError::Failed("cancelled; nothing was changed".to_owned())),
        Err(error) => {
            Err(CommandError::Failed(format!("cannot read the answer from the terminal: {error}")))
        }
    }
}

/// Whether the answer is yes. Anything else means no, including the end of the input.
fn is_confirmed(
    action: &str,
    input: &mut dyn BufRead,
    terminal: &mut dyn Write,
) -> io::Result<bool> {
    write!(terminal, "Really {action}? It cannot be undone. [y/N] ")?;
    terminal.flush()?;
    let mut answer = String::new();
    input.read_line(&mut answer)?;
    Ok(["y", "yes"].contains(&answer.trim().to_ascii_lowercase().as_str()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_yes_confirms() {
        for (answer, expected) in [
            ("y\n", true),
            ("Yes\r\n", true),
            ("\n", false),
            ("", false),
            ("n\n", false),
            ("yeah\n", false),
            ("n\ny\n", false),
        ] {
            let mut prompt = Vec::new();
            let found = is_confirmed("delete it", &mut answer.as_bytes(), &mut prompt);
            assert_eq!(found.expect("readable"), expected, "{answer:?}");
            assert_eq!(prompt, b"Really delete it? It cannot be undone. [y/N] ");
        }
        assert!(is_confirmed("delete it", &mut &b"\xff\n"[..], &mut Vec::new()).is_err());
    }
}
