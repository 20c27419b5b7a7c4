//! National holidays: the Cabinet Office's list, kept unchanged in `SNAPSHOTS/holidays/DATE.csv`. The list has
//! no date, so its content shows whether it is new, and the day of its last change is its version.

use std::fs;
use std::path::{Path, PathBuf};

use jiff::civil::Date;

use crate::calendar::{OfficialList, date_in_japan};
use crate::snapshot::durable::{self, if_exists};
use crate::snapshot::unfinished::{IN_SNAPSHOTS, remove_left};
use crate::text::codes::DataVersion;
use crate::update::address::{Address, Site};
use crate::update::check::Form;
use crate::update::error::UpdateError;
use crate::update::http::{Request, Session};
use crate::update::keep::Edition;
use crate::update::release::{Look, Published, Release};
use crate::update::run::{Run, version_of};
use crate::update::wanted::{Name, Wanted};

pub struct Holidays;

/// The address of the list, which has 20 kB.
pub struct Plan {
    version: DataVersion,
    address: Address,
}

/// The list had another name for a day in 2023.
const KEYS: [&str; 2] = ["list", "list-renamed"];

const BYTES_MAX: u64 = 1 << 20;

impl Release for Holidays {
    type Plan = Plan;

    fn look(run: &Run<'_>) -> Result<Look<Plan>, UpdateError> {
        let (address, bytes, changed) = offered(run)?;
        let list = read(&address.to_string(), &bytes)?;
        let installed = installed(&run.options.snapshots)?;
        let known = installed.as_ref().map(|(version, _)| *version);
        let edition = version_of(changed.unwrap_or(run.today));
        if let Some((version, path)) = &installed {
            let kept = fs::read(path).map_err(|cause| UpdateError::io(path, cause))?;
            if kept == bytes {
                return Ok(Look {
                    edition: *version,
                    installed: known,
                    plan: None,
                    files: Vec::new(),
                });
            }
            check_shrunk(run, &address, &list, &kept)?;
            if edition < *version {
                return Ok(Look { edition, installed: known, plan: None, files: Vec::new() });
            }
        }
        let files = vec![address.to_string()];
        let plan = Some(Plan { version: edition, address });
        Ok(Look { edition, installed: known, plan, files })
    }

    fn bring(run: &Run<'_>, plan: Plan) -> Result<Published, UpdateError> {
        let mut edition = Edition::open(run, plan.version)?;
        let kept = edition.fetch(&run.session(), wanted(&plan.address))?;
        let bytes = fs::read(&kept.path).map_err(|cause| UpdateError::io(&kept.path, cause))?;
        let list = read(&kept.url, &bytes)?;
        let folder = folder(&run.options.snapshots);
        remove_left(&folder, IN_SNAPSHOTS).map_err(|cause| UpdateError::io(&folder, cause))?;
        let path = folder.join(format!("{}.csv", plan.version));
        durable::write(&path, |out| out.write_all(&bytes))
            .map_err(|cause| UpdateError::io(&path, cause))?;
        edition.finish()?;
        let years = list.years();
        let summary = format!("{} holidays of {} to {}", list.len(), years.start(), years.end());
        Ok(Published { edition: plan.version, path, summary })
    }
}

fn wanted(address: &Address) -> Wanted {
    Wanted {
        role: "list".to_owned(),
        request: Request::Get(address.clone()),
        name: Name::Exact(address.file_name().to_owned()),
        form: Form::Csv,
        whole: false,
        may_repeat: false,
        bytes_max: BYTES_MAX,
    }
}

/// The current list of the site, and the day in Japan of its last change, if the site reports it.
fn offered(run: &Run<'_>) -> Result<(Address, Vec<u8>, Option<Date>), UpdateError> {
    let session = run.session();
    let mut first = None;
    for key in KEYS {
        let address = run.address(Site::Cao, key);
        match fetch(run, &session, &address) {
            Ok((bytes, changed)) => return Ok((address, bytes, changed)),
            Err(error) if error.is_not_found() => first = first.or(Some(error)),
            Err(error) => return Err(error),
        }
    }
    Err(first.expect("there is a first address"))
}

fn fetch(
    run: &Run<'_>,
    session: &Session<'_>,
    address: &Address,
) -> Result<(Vec<u8>, Option<Date>), UpdateError> {
    if let Some(folder) = run.folder() {
        let path = folder.find(&Name::Exact(address.file_name().to_owned()))?;
        let bytes = fs::read(&path).map_err(|cause| UpdateError::io(&path, cause))?;
        return Ok((bytes, None));
    }
    let small = session.small(address, BYTES_MAX)?;
    Ok((small.bytes, small.changed.map(date_in_japan)))
}

fn read(url: &str, bytes: &[u8]) -> Result<OfficialList, UpdateError> {
    OfficialList::read(bytes).map_err(|fault| {
        let remedy = "check the file: if its format has changed, a newer daicho is needed";
        UpdateError::not_the_file(url, "the list of holidays", fault.to_string(), remedy)
    })
}

/// A list normally never loses holidays; only the repeal of an act would remove one.
fn check_shrunk(
    run: &Run<'_>,
    address: &Address,
    list: &OfficialList,
    kept: &[u8],
) -> Result<(), UpdateError> {
    let Ok(before) = OfficialList::read(kept) else { return Ok(()) };
    if list.len() >= before.len() || run.options.force {
        return Ok(());
    }
    Err(UpdateError::not_the_file(
        address.to_string(),
        format!("at least the {} holidays of the previous list", before.len()),
        list.len().to_string(),
        "if the list is right, accept it with --force",
    ))
}

fn folder(snapshots: &Path) -> PathBuf {
    snapshots.join("holidays")
}

/// The newest list of the folder.
fn installed(snapshots: &Path) -> Result<Option<(DataVersion, PathBuf)>, UpdateError> {
    let folder = folder(snapshots);
    let failed = |cause| UpdateError::io(&folder, cause);
    let mut newest = None;
    for entry in if_exists(fs::read_dir(&folder)).map_err(failed)?.into_iter().flatten() {
        let path = entry.map_err(failed)?.path();
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        let version = name.strip_suffix(".csv").and_then(|date| DataVersion::parse(date).ok());
        newest = newest.max(version.map(|version| (version, path)));
    }
    Ok(newest)
}
