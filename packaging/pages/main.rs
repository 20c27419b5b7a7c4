//! Writes the manual pages and the shell completions from the definition of the command line:
//! `cargo run --example pages -- FOLDER`. They belong to packages and are not part of the program.

use std::path::Path;
use std::process::ExitCode;
use std::{env, fs, io};

use clap_complete::{Shell, generate_to};
use daicho::cli::command;

const SHELLS: [Shell; 3] = [Shell::Bash, Shell::Zsh, Shell::Fish];

fn main() -> ExitCode {
    let folders: Vec<_> = env::args_os().skip(1).collect();
    let [folder] = folders.as_slice() else {
        eprintln!("pages: expected one folder to write to; found {}", folders.len());
        return ExitCode::from(2);
    };
    match write(Path::new(folder)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("pages: cannot write {}: {error}", Path::new(folder).display());
            ExitCode::FAILURE
        }
    }
}

fn write(folder: &Path) -> io::Result<()> {
    let (man, completions) = (folder.join("man"), folder.join("completions"));
    fs::create_dir_all(&man)?;
    fs::create_dir_all(&completions)?;
    clap_mangen::generate_to(command(), &man)?;
    for shell in SHELLS {
        generate_to(shell, &mut command(), "daicho", &completions)?;
    }
    Ok(())
}
