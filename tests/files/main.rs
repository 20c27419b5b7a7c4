//! The tests of the commands that turn files into files, and of the language of commands, as one program: each test program links the whole server, and
//! none of these needs a process of its own.

#[path = "../build/main.rs"]
mod build;
#[path = "../export/main.rs"]
mod export;
mod language;
#[path = "../normalize/main.rs"]
mod normalize;
mod results;
#[path = "../support/sample.rs"]
mod sample;
#[path = "../support/shared_data.rs"]
mod shared_data;
