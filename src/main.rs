//! The one binary: parses the command line, runs the command, turns its end into an exit code.

use std::process::ExitCode;

use clap::Parser;
use daicho::cli::Args;

fn main() -> ExitCode {
    let args = Args::parse();
    match args.run(&mut std::io::stdout()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("daicho: {error}");
            ExitCode::from(error.exit_code())
        }
    }
}
