//! `daicho export --layout`: opens the data, writes the files of a package, and prints a summary.

use std::path::Path;
use std::sync::Arc;

use super::data::{Chosen, DataArg, corrections_line};
use super::error::CommandError;
use super::output::{clean_up_on_signals, write_error};
use super::print::{own, print_notes};
use crate::api::holidays::{Holidays, OwnHolidaysFile};
use crate::compat::package::{FolderError, Layout, PackageFolder, Write, WriteError, layouts_of};
use crate::dataset::Declaration;
use crate::dataset::correction::Correction;
use crate::text::numerals::grouped;

pub fn run(
    data_name: &str,
    layout: &str,
    output: &Path,
    quiet: bool,
    data: &DataArg,
) -> Result<(), CommandError> {
    let layout = named(data_name, layout)?;
    if output == Path::new("-") {
        let message =
            "--output -: expected a folder for --layout; found standard output; name a folder";
        return Err(CommandError::usage(message));
    }
    clean_up_on_signals()?;
    let folder = PackageFolder::create(output).map_err(|error| match error {
        FolderError::Taken { .. } => CommandError::Usage(format!("--output {error}")),
        error @ FolderError::Io { .. } => CommandError::failed(error),
    })?;
    let Written { entries, described, corrections } = write(layout, data, &folder, output)?;
    folder.finish().map_err(CommandError::failed)?;
    if !quiet {
        let (count, name, folder) = (grouped(entries), layout.name, own(output.display()));
        let summary = format!("{count} entries of {described} in the layout of {name}: {folder}\n");
        print_notes(&(summary + &corrections_line(&corrections)));
    }
    Ok(())
}

fn named(data_name: &str, layout: &str) -> Result<&'static Layout, CommandError> {
    layouts_of(data_name).find(|known| known.name == layout).ok_or_else(|| {
        let known: Vec<&str> = layouts_of(data_name).map(|layout| layout.name).collect();
        CommandError::Usage(match &known[..] {
            [] => format!(
                "--layout: expected no layout, since no package carries the data of {data_name}; found {layout:?}; \
                 leave it out"
            ),
            known => format!(
                "--layout: expected a layout of {data_name}: {}; found {layout:?}",
                known.join(" or ")
            ),
        })
    })
}

/// What was written.
struct Written {
    entries: u64,
    /// What the data are.
    described: String,
    /// The corrections that changed them.
    corrections: Vec<Arc<Correction>>,
}

fn write(
    layout: &Layout,
    data: &DataArg,
    folder: &PackageFolder,
    output: &Path,
) -> Result<Written, CommandError> {
    let failed = |error| match error {
        WriteError::Snapshot(error) => CommandError::from(error),
        WriteError::File(error) => write_error(&output.display().to_string(), &error),
    };
    match layout.write {
        Write::Bank(write) => with_data(data, |data| write(data, folder).map_err(failed)),
        Write::Postal(write) => with_data(data, |data| write(data, folder).map_err(failed)),
        Write::Holidays(write) => {
            if data.version()?.is_some() {
                let message = "--version: holidays have no versions; leave the option out";
                return Err(CommandError::usage(message));
            }
            let folder_of_snapshots = &data.snapshots.snapshots;
            let own = OwnHolidaysFile::new(None, &data.corrections.folder(folder_of_snapshots)?);
            let holidays = Holidays::open(folder_of_snapshots, &own);
            let holidays = holidays.map_err(CommandError::failed)?;
            let listed = holidays.calendar.list.as_ref().map(|list| list.years());
            let described = match listed {
                Some(years) => format!(
                    "holidays (by the Cabinet Office's list from {} to {}, otherwise by the rules)",
                    years.start(),
                    years.end()
                ),
                None => {
                    "holidays (by the rules; the folder has no list of the Cabinet Office)".into()
                }
            };
            let entries = write(&holidays.calendar, folder).map_err(failed)?;
            Ok(Written { entries, described, corrections: Vec::new() })
        }
    }
}

fn with_data<D: Declaration>(
    data: &DataArg,
    write: impl FnOnce(&D) -> Result<u64, CommandError>,
) -> Result<Written, CommandError> {
    let Chosen { data, corrections, .. } = data.choose_with_previous::<D>(data.version()?)?;
    let described = format!("{} {}", D::KIND, data.file().version());
    Ok(Written { entries: write(&data)?, described, corrections })
}
