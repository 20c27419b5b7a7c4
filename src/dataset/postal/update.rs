//! Postal codes: Japan Post's files of one month, and the town master of the Address Base Registry.
//!
//! The page of the address file has the date of the edition, which is the data version. The business file must
//! belong to the same edition; the roman file and the town master are optional. Difference files are used if
//! the previous version belongs to the previous month; otherwise the two versions are compared, so that no
//! change is lost. The newest corporate snapshot of the folder weights the places; this affects only the order
//! of suggestions.

use std::fmt::Display;
use std::path::Path;

use build_tools::postal::read_roman;
use build_tools::{Batch, Kind, Source};

use super::PostalData;
use super::compile::{self, PostalReport, PostalSources};
use crate::compile::{CompileError, REJECTS_SHARE_MAX, open_verified};
use crate::dataset::corporate::CorporateData;
use crate::snapshot::{Dataset, Versions};
use crate::text::codes::DataVersion;
use crate::update::address::{Address, Site};
use crate::update::context::{Context, version_of};
use crate::update::dataset_source::{DatasetSource, NewVersion, Offer};
use crate::update::edition_files::EditionFiles;
use crate::update::editions::{Manifest, SourceFile};
use crate::update::error::{Result, UpdateError};
use crate::update::file_spec::{ExpectedName, FileFormat, FileSpec};
use crate::update::http::{Request, Session};
use crate::update::page::japanpost::{self, AreaPage, Differences, Month};

pub struct Postal;

/// The addresses of an edition's files.
pub struct Plan {
    area: Address,
    business: Address,
    roman: Option<Address>,
    town: Address,
    differences: Vec<Address>,
}

const AREA: &str = "utf_ken_all.zip";
const BUSINESS: &str = "jigyosyo.zip";
const ROMAN: &str = "ken_all_rome.zip";

const ROMAN_ROLE: &str = "roman";
const TOWN_ROLE: &str = "addressing";

/// The address file has 2.1 MB, the town master 11.5 MB.
const JAPANPOST_BYTES_MAX: u64 = 64 << 20;
const TOWN_BYTES_MAX: u64 = 256 << 20;

impl DatasetSource for Postal {
    type Plan = Plan;

    const IN_EVERY_FOLDER: bool = true;

    fn check_source(context: &Context<'_>) -> Result<Offer<Plan>> {
        let session = context.session();
        let offered = offered(context, &session)?;
        let edition = version_of(offered.date);
        let installed = context.installed::<PostalData>()?;
        if installed.is_some_and(|installed| installed >= edition) {
            return Ok(Offer::nothing(edition, installed));
        }
        let plan = plan(context, &session, offered, installed)?;
        let files = [&plan.area, &plan.business, &plan.town].into_iter();
        let files = files.chain(&plan.roman).chain(&plan.differences).map(Address::to_string);
        Ok(Offer { edition, installed, files: files.collect(), plan: Some(plan) })
    }

    fn install(mut edition: EditionFiles<'_>, plan: Plan) -> Result<NewVersion> {
        let context = edition.context;
        let session = context.session();
        let area =
            edition.fetch(&session, full_file("area", &plan.area, AREA, "utf_ken_all.csv"))?;
        let business = full_file("business", &plan.business, BUSINESS, "jigyosyo.csv");
        let business = edition.fetch(&session, FileSpec { may_be_unchanged: true, ..business })?;
        let updates = fetch_differences(&session, &mut edition, &plan.differences)?;
        let roman = fetch_roman(&session, &mut edition, plan.roman.as_ref());
        let town = fetch_town(&session, &mut edition, &plan.town)?;
        let corporations = newest_corporations(context);
        let weighted_by = corporations.as_ref().map(|data| data.file().version());
        let files = Files { area, business, roman, town, updates };
        let report = build(context, edition.version(), &files, corporations);
        let report = edition.checked(report)?;
        context.warn_of_build(&report.log);
        edition.finish()?;
        let counts = report.data.counts()?;
        let mut summary = format!(
            "{} records, {} codes, {} businesses; {} changed, {} abolished",
            counts.records, counts.codes, counts.corporations, counts.changed, counts.abolished
        );
        if let Some(version) = weighted_by {
            summary = format!("{summary}; suggestions ordered by the corporations of {version}");
        }
        Ok(NewVersion { path: report.data.file().path().to_owned(), summary })
    }
}

struct Files {
    area: SourceFile,
    business: SourceFile,
    roman: Option<SourceFile>,
    town: Option<SourceFile>,
    updates: Vec<SourceFile>,
}

fn build(
    context: &Context<'_>,
    version: DataVersion,
    files: &Files,
    corporations: Option<CorporateData>,
) -> Result<PostalReport> {
    let month = version.month();
    let open = |file: &SourceFile, kind| Source::open(&file.path, kind, Some(&month));
    let open_optional =
        |file: &Option<SourceFile>, kind| file.as_ref().map(|file| open(file, kind)).transpose();
    let updates = files.updates.iter().map(|file| open(file, Kind::Update));
    // The operator's file of coordinates belongs to no edition.
    let towns = context.options.towns.as_deref().map(|path| Source::open(path, Kind::Towns, None));
    let sources = PostalSources {
        area: open(&files.area, Kind::Area)?,
        roman: open_optional(&files.roman, Kind::Roman)?,
        business: Some(open(&files.business, Kind::Business)?),
        addressing: open_optional(&files.town, Kind::Addressing)?,
        towns: towns.transpose()?,
        corporations,
        updates: updates.collect::<Result<_, _>>()?,
        download: true,
    };
    Ok(compile::build(&context.target(version), sources, context.observer)?)
}

/// The content of the page of the address file; with local files, the files in the folder.
fn offered(context: &Context<'_>, session: &Session<'_>) -> Result<AreaPage> {
    let address = context.address(Site::Japanpost, "area-page");
    let Some(folder) = context.local_folder else {
        return japanpost::read_area_page(&session.page(&address)?);
    };
    let date = match Manifest::read(&folder.path)? {
        Some(manifest) => manifest.edition.date(),
        None => japanpost::edition_date(&context.page(session, &address)?)?,
    };
    let names = folder.names.iter().filter_map(|name| address.join(name));
    let differences = japanpost::newest_of(names, &["utf_add_", "utf_del_"]);
    let area = address.join(AREA).expect("a name is an address beside the page");
    Ok(AreaPage { date, area, differences })
}

fn plan(
    context: &Context<'_>,
    session: &Session<'_>,
    offered: AreaPage,
    installed: Option<DataVersion>,
) -> Result<Plan> {
    let month = Month::published_on(offered.date);
    let is_next_month =
        installed.is_none_or(|installed| Month::published_on(installed.date()) >= month.previous());
    let fits = |found: &Differences| is_next_month && found.month == month;
    let mut differences = offered.differences.filter(fits).map(|found| found.files);
    let office = context.address(Site::Japanpost, "office-page");
    let roman_page = context.address(Site::Japanpost, "roman-page");
    let (business, roman);
    if context.local_folder.is_some() {
        business = office.join(BUSINESS).expect("a name is an address beside the page");
        roman = roman_page.join(ROMAN);
    } else {
        let office = session.page(&office)?;
        business = office.link_to(BUSINESS)?;
        let found = japanpost::newest_differences(&office, &["jadd", "jdel"]).filter(fits);
        if let (Some(files), Some(found)) = (&mut differences, found) {
            files.extend(found.files);
        }
        let found = session.page(&roman_page).and_then(|page| page.link_to(ROMAN));
        roman = found.inspect_err(|error| warn_without_roman(context, error)).ok();
    }
    let (town, differences) = (context.address(Site::Abr, "town"), differences.unwrap_or_default());
    Ok(Plan { area: offered.area, business, roman, town, differences })
}

/// A full file of Japan Post, with its limits.
fn full_file(role: &str, address: &Address, name: &str, member: &str) -> FileSpec {
    FileSpec {
        role: role.to_owned(),
        request: Request::Get(address.clone()),
        name: ExpectedName::Exact(name.to_owned()),
        format: FileFormat::ZipOfCsv { member: member.to_owned() },
        is_full: true,
        may_be_unchanged: false,
        bytes_max: JAPANPOST_BYTES_MAX,
    }
}

/// A month without additions or deletions has no file of them.
fn fetch_differences(
    session: &Session<'_>,
    edition: &mut EditionFiles<'_>,
    differences: &[Address],
) -> Result<Vec<SourceFile>> {
    let mut files = Vec::new();
    for address in differences {
        let name = address.file_name().to_owned();
        let member = name.replace(".zip", ".csv");
        let spec = FileSpec { is_full: false, ..full_file(&name, address, &name, &member) };
        match edition.fetch(session, spec) {
            Ok(file) => files.push(file),
            Err(error) if error.is_not_found() => {
                edition.context.report_step(&format!("{name} is missing this month"))
            }
            Err(error) => return Err(error),
        }
    }
    Ok(files)
}

/// The roman file is only checked and recorded as a source: a version without it is equally good. So it is read here
/// first: an unreadable one is left out, and does not fail the build.
fn fetch_roman(
    session: &Session<'_>,
    edition: &mut EditionFiles<'_>,
    address: Option<&Address>,
) -> Option<SourceFile> {
    let spec = full_file(ROMAN_ROLE, address?, ROMAN, "ken_all_rome.csv");
    let fetched = edition.fetch(session, FileSpec { may_be_unchanged: true, ..spec });
    if edition.context.local_folder.is_some()
        && fetched.as_ref().is_err_and(UpdateError::is_not_found)
    {
        return None;
    }
    match fetched.and_then(check_roman) {
        Ok(file) => Some(file),
        Err(error) => {
            warn_without_roman(edition.context, &error);
            edition.remove(|file| file.role == ROMAN_ROLE);
            None
        }
    }
}

/// Fails if a build would refuse the file for its rows.
fn check_roman(file: SourceFile) -> Result<SourceFile> {
    let Batch { rows, rejects, .. } =
        read_roman(Source::open(&file.path, Kind::Roman, None)?, &mut |_, _| {})?;
    let all = rows.len() + rejects.len();
    match rejects.first() {
        Some(first) if rejects.len() as f64 > all as f64 * REJECTS_SHARE_MAX => {
            Err(UpdateError::wrong_file(
                &file.url,
                "rows that can be read",
                format!("{} of {all} that cannot; the first: {first}", rejects.len()),
                "check the file in a browser",
            ))
        }
        _ => Ok(file),
    }
}

fn warn_without_roman(context: &Context<'_>, error: &UpdateError) {
    context.warn(format!("built without the roman file, which is only checked: {error}"));
}

/// The registry rejects addresses outside Japan; then the file of the previous edition is reused.
fn fetch_town(
    session: &Session<'_>,
    edition: &mut EditionFiles<'_>,
    address: &Address,
) -> Result<Option<SourceFile>> {
    let spec = full_file(TOWN_ROLE, address, "mt_town_all.csv.zip", "mt_town_all.csv");
    let spec = FileSpec { may_be_unchanged: true, bytes_max: TOWN_BYTES_MAX, ..spec };
    let error = match edition.fetch(session, spec) {
        Ok(file) => return Ok(Some(file)),
        Err(error @ UpdateError::Io { .. }) => return Err(error),
        Err(error) => error,
    };
    let previous = edition.reuse_previous(TOWN_ROLE)?;
    let instead = match &previous {
        Some(previous) => {
            format!("using the town master downloaded on {} again", previous.fetched_on())
        }
        None => "town_jukyohyoji is false in all records".to_owned(),
    };
    edition.context.warn(format!("{instead}: {error}"));
    Ok(previous)
}

/// The corporations that weight the places: the newest intact snapshot of the folder. Postal data are also
/// built without them, so any problem is only a warning.
fn newest_corporations(context: &Context<'_>) -> Option<CorporateData> {
    let folder = &context.options.snapshots;
    let versions = match Versions::<CorporateData>::scan(folder, None) {
        Ok(versions) => versions,
        Err(cause) => {
            let folder = folder.join(CorporateData::KIND.name());
            warn_of_corporations(context, &UpdateError::io(&folder, cause));
            return None;
        }
    };
    versions.refused().for_each(|error| warn_of_corporations(context, error));
    for (_version, data) in versions.iter().rev() {
        let path = data.file().path();
        match open_corporations(path) {
            Ok((data, true)) => return Some(data),
            // With only a few prefectures, any hamlet there would be ranked above 銀座.
            Ok((_data, false)) => {
                context.report_step(&format!(
                    "suggestions are not ordered by {}: it has only the corporations of some prefectures",
                    path.display()
                ));
                return None;
            }
            Err(error) => warn_of_corporations(context, &error),
        }
    }
    None
}

/// Opens a snapshot for a build, which reads it completely; also returns whether it covers all prefectures.
fn open_corporations(path: &Path) -> Result<(CorporateData, bool), CompileError> {
    let data: CorporateData = open_verified(path)?;
    let all = data.provenance()?.root().prefectures.is_empty();
    Ok((data, all))
}

fn warn_of_corporations(context: &Context<'_>, error: &dyn Display) {
    context.warn(format!("suggestions cannot be ordered by this corporate snapshot: {error}"));
}
