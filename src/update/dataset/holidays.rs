//! National holidays: the Cabinet Office's list, kept unchanged in `SNAPSHOTS/holidays/DATE.csv`. The list has
//! no date, so its content shows whether it is new, and the day of its last change is its version.

use std::fs;
use std::path::PathBuf;

use jiff::civil::Date;

use crate::calendar::{OfficialList, date_in_japan};
use crate::snapshot::files::Sha256;
use crate::snapshot::unfinished::{IN_SNAPSHOTS, remove_left_over};
use crate::snapshot::{files::dated_entries, unfinished};
use crate::update::address::{Address, Site};
use crate::update::context::{Context, version_of};
use crate::update::dataset_source::{DatasetSource, NewVersion, Offer};
use crate::update::edition_files::EditionFiles;
use crate::update::error::{Result, UpdateError};
use crate::update::file_spec::{ExpectedName, FileFormat, FileSpec};
use crate::update::http::{Request, Session, SmallFile};

pub struct Holidays;

/// The address of the list, which has 20 kB, and its checksum.
pub struct Plan {
    address: Address,
    sha256: Sha256,
}

/// The list had another name for a day in 2023.
const KEYS: [&str; 2] = ["list", "list-renamed"];

/// The role of the only file of an edition.
const LIST: &str = "list";

const BYTES_MAX: u64 = 1 << 20;

impl DatasetSource for Holidays {
    type Plan = Plan;

    fn check_source(context: &Context<'_>) -> Result<Offer<Plan>> {
        let OfferedList { address, bytes, last_changed } = offered(context)?;
        let list = parse(&address.to_string(), &bytes)?;
        let folder = folder(context);
        let lists = dated_entries(&folder, "csv");
        let newest = lists.map_err(|cause| UpdateError::io(&folder, cause))?.pop();
        let installed = newest.as_ref().map(|(version, _)| *version);
        // A day to come is wrong: the list was not changed before it was asked for.
        let last_changed = last_changed.filter(|day| *day <= context.today);
        let edition = version_of(last_changed.unwrap_or(context.today));
        if let Some((version, path)) = &newest {
            let previous = fs::read(path).map_err(|cause| UpdateError::io(path, cause))?;
            if previous == bytes {
                return Ok(Offer::nothing(*version, installed));
            }
            check_not_shrunk(context, &address, &list, &previous)?;
            if edition < *version {
                return Ok(Offer::nothing(edition, installed));
            }
        }
        let files = vec![address.to_string()];
        let plan = Some(Plan { address, sha256: Sha256::of(&bytes) });
        Ok(Offer { edition, installed, plan, files })
    }

    fn install(mut edition: EditionFiles<'_>, plan: Plan) -> Result<NewVersion> {
        let context = edition.context;
        // The list may change twice on a day.
        edition.keep_only(LIST, plan.sha256);
        let file = edition.fetch(&context.session(), file_spec(&plan.address))?;
        let bytes = fs::read(&file.path).map_err(|cause| UpdateError::io(&file.path, cause))?;
        let list = parse(&file.url, &bytes)?;
        let folder = folder(context);
        remove_left_over(&folder, IN_SNAPSHOTS).map_err(|cause| UpdateError::io(&folder, cause))?;
        let path = folder.join(format!("{}.csv", edition.version()));
        unfinished::write_whole(&path, |out| out.write_all(&bytes))
            .map_err(|cause| UpdateError::io(&path, cause))?;
        edition.finish()?;
        let years = list.years();
        let summary =
            format!("{} holidays of {} to {}", list.days().len(), years.start(), years.end());
        Ok(NewVersion { path, summary })
    }
}

fn file_spec(address: &Address) -> FileSpec {
    FileSpec {
        role: LIST.to_owned(),
        request: Request::Get(address.clone()),
        name: ExpectedName::Exact(address.file_name().to_owned()),
        format: FileFormat::Csv,
        is_full: false,
        may_be_unchanged: false,
        bytes_max: BYTES_MAX,
    }
}

struct OfferedList {
    address: Address,
    bytes: Vec<u8>,
    /// The day in Japan of its last change, if the site reports it.
    last_changed: Option<Date>,
}

fn offered(context: &Context<'_>) -> Result<OfferedList> {
    let session = context.session();
    let mut not_found = None;
    for key in KEYS {
        match fetch(context, &session, context.address(Site::Cao, key)) {
            Ok(found) => return Ok(found),
            Err(error) if error.is_not_found() => not_found = not_found.or(Some(error)),
            Err(error) => return Err(error),
        }
    }
    Err(not_found.expect("there is a first address"))
}

fn fetch(context: &Context<'_>, session: &Session<'_>, address: Address) -> Result<OfferedList> {
    if let Some(folder) = context.local_folder {
        let bytes = folder.read(address.file_name(), BYTES_MAX)?;
        return Ok(OfferedList { address, bytes, last_changed: None });
    }
    let SmallFile { bytes, last_modified } = session.small_file(&address, BYTES_MAX)?;
    Ok(OfferedList { address, bytes, last_changed: last_modified.map(date_in_japan) })
}

fn parse(url: &str, bytes: &[u8]) -> Result<OfficialList> {
    OfficialList::read(bytes).map_err(|fault| {
        let remedy = "check the file: if its format has changed, a newer daicho is needed";
        UpdateError::wrong_file(url, "the list of holidays", fault.to_string(), remedy)
    })
}

/// A list normally never loses holidays; only the repeal of an act would remove one.
fn check_not_shrunk(
    context: &Context<'_>,
    address: &Address,
    list: &OfficialList,
    previous: &[u8],
) -> Result<()> {
    let Ok(previous) = OfficialList::read(previous) else { return Ok(()) };
    if list.days().len() >= previous.days().len() || context.options.force {
        return Ok(());
    }
    Err(UpdateError::wrong_file(
        address.to_string(),
        format!("at least the {} holidays of the previous list", previous.days().len()),
        list.days().len().to_string(),
        "if the list is right, accept it with --force",
    ))
}

fn folder(context: &Context<'_>) -> PathBuf {
    context.options.snapshots.join("holidays")
}
