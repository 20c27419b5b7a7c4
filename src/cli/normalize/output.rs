//! The output: standard output, whose reader may stop early, or a file that appears when it is whole.

use std::fs::{File, OpenOptions, Permissions};
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::{ops::ControlFlow, os::unix::fs::PermissionsExt};

use tempfile::NamedTempFile;

use crate::cli::error::CommandError;

/// Where the rows go.
pub enum Output {
    Standard(io::Stdout),
    /// A temporary file in the folder of the path, until it is whole.
    File(NamedTempFile, PathBuf),
    /// A path that exists and is no regular file, such as a pipe.
    Device(File, PathBuf),
}

impl Output {
    pub fn create(path: Option<&Path>) -> Result<Output, CommandError> {
        let Some(path) = path else { return Ok(Output::Standard(io::stdout())) };
        let unwritable = |cause| unwritable(&path.display().to_string(), &cause);
        match std::fs::metadata(path) {
            Ok(there) if there.is_dir() => {
                let message =
                    format!("--output {}: expected a file; found a folder", path.display());
                return Err(CommandError::Usage(message));
            }
            Ok(there) if !there.is_file() => {
                let device = OpenOptions::new().write(true).open(path).map_err(unwritable)?;
                return Ok(Output::Device(device, path.to_owned()));
            }
            _ => {}
        }
        // A symbolic link stays: the file that it points to is replaced.
        let path = std::fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
        let file = tempfile::Builder::new()
            .prefix(".daicho-normalize-")
            // As any new file: what the umask leaves.
            .permissions(Permissions::from_mode(0o666))
            .tempfile_in(folder.unwrap_or(Path::new(".")))
            .map_err(unwritable)?;
        Ok(Output::File(file, path))
    }

    /// Writes; breaks where nobody reads any more.
    pub fn write(&mut self, bytes: &[u8]) -> Result<ControlFlow<()>, CommandError> {
        let written = match self {
            Output::Standard(stdout) => stdout.write_all(bytes).and_then(|()| stdout.flush()),
            Output::File(file, _) => file.as_file_mut().write_all(bytes),
            Output::Device(file, _) => file.write_all(bytes),
        };
        match written {
            Ok(()) => Ok(ControlFlow::Continue(())),
            Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(ControlFlow::Break(())),
            Err(error) => Err(unwritable(&self.name(), &error)),
        }
    }

    /// Renames the whole file into its place.
    pub fn finish(self) -> Result<(), CommandError> {
        let Output::File(file, path) = self else { return Ok(()) };
        let name = path.display().to_string();
        file.as_file().sync_all().map_err(|cause| unwritable(&name, &cause))?;
        file.persist(&path).map_err(|refused| unwritable(&name, &refused.error))?;
        Ok(())
    }

    fn name(&self) -> String {
        match self {
            Output::Standard(_) => "standard output".to_owned(),
            Output::File(_, path) | Output::Device(_, path) => path.display().to_string(),
        }
    }
}

fn unwritable(name: &str, cause: &io::Error) -> CommandError {
    CommandError::BadInput(format!("cannot write {name}: {cause}"))
}
