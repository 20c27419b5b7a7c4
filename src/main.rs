//! The only binary: parses the command line, runs the command, and maps its result to an exit code.

use std::io::{self, ErrorKind, Write};
use std::process::ExitCode;

use daicho::cli::serve::log::BackgroundStdout;
use daicho::cli::{Args, error::CommandError};

fn main() -> ExitCode {
    let ended = Args::of_process().and_then(|args| match args.is_server() {
        true => args.run(&mut BackgroundStdout::default()),
        false => args.run(&mut UntilClosed(io::stdout())),
    });
    match ended {
        Ok(()) => ExitCode::SUCCESS,
        Err(CommandError::ExitCode(code)) => ExitCode::from(code),
        Err(error) => {
            // Not `eprintln!`, which panics where standard error is closed.
            let _ = writeln!(io::stderr(), "daicho: {}", error.message());
            ExitCode::from(error.exit_code())
        }
    }
}

/// A request makes a dozen small allocations; glibc's allocator costs twice as much, musl's many times.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Standard output whose reader may stop early, as `head` does; that is not an error.
struct UntilClosed(io::Stdout);

impl Write for UntilClosed {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self.0.write(bytes) {
            Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(bytes.len()),
            other => other,
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self.0.flush() {
            Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
            other => other,
        }
    }
}
