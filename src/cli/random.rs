//! Bytes from the system's source of randomness, for keys, secrets, salts and ids.

use super::CommandError;

/// So many of them.
pub fn random<const N: usize>() -> Result<[u8; N], getrandom::Error> {
    let mut bytes = [0; N];
    getrandom::fill(&mut bytes)?;
    Ok(bytes)
}

impl From<getrandom::Error> for CommandError {
    fn from(error: getrandom::Error) -> CommandError {
        CommandError::BadInput(format!("the system gives no random numbers: {error}"))
    }
}
