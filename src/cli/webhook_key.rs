//! The option that names the key of webhook secrets, for the commands that encrypt or decrypt them.

use std::path::PathBuf;

use clap::Args;

use super::error::CommandError;
use super::store::StateArg;
use crate::account::store::StoreLocation;
use crate::radar::key_location::KeyLocation;
use crate::radar::secret_cipher::SecretCipher;

const VARIABLE: &str = "DAICHO_WEBHOOK_KEY";

#[derive(Debug, Clone, Args)]
pub struct WebhookKeyArg {
    /// File with the key that encrypts webhook secrets; or set DAICHO_WEBHOOK_KEY. All servers and
    /// commands that share a state need the same key [default for a state file: FILE.webhook-key
    /// beside it, created when first needed]
    #[arg(long, value_name = "FILE", env = "DAICHO_WEBHOOK_KEY_FILE")]
    pub webhook_key_file: Option<PathBuf>,
}

impl WebhookKeyArg {
    pub fn cipher(&self, state: &StateArg) -> Result<SecretCipher, CommandError> {
        let text = match std::env::var(VARIABLE) {
            Ok(text) => Some(text),
            Err(std::env::VarError::NotPresent) => None,
            Err(std::env::VarError::NotUnicode(_)) => {
                let message = format!("{VARIABLE} must be UTF-8 text; found other bytes");
                return Err(CommandError::Usage(message));
            }
        };
        let location = match (&self.webhook_key_file, text) {
            (Some(_), Some(_)) => {
                let message = format!(
                    "key of webhook secrets: expected --webhook-key-file or {VARIABLE}; found both; \
                     leave one out"
                );
                return Err(CommandError::Usage(message));
            }
            (Some(file), None) => KeyLocation::File(file.clone()),
            (None, Some(text)) => KeyLocation::Variable { name: VARIABLE, text },
            (None, None) => match state.location()? {
                StoreLocation::File(path) => KeyLocation::BesideState(path),
                StoreLocation::Postgres(_) => KeyLocation::NotConfigured,
            },
        };
        Ok(SecretCipher::new(location))
    }
}
