//! Postal codes: Japan Post's files of one month, and the town master of the Address Base Registry.
//!
//! The page of the address file has the date of the edition, which is the data version. The business file must
//! belong to the same edition; the roman file and the town master are optional. Difference files are used if
//! the previous version is that of the previous month; otherwise the two versions are compared, so that no
//! change is lost. The newest corporate snapshot of the folder weights the places; this affects only the order
//! of suggestions.

use std::fmt::Display;
use std::path::Path;

use build_tools::{Kind, Source};

use crate::compile::postal::{self, PostalReport, PostalSources};
use crate::compile::{CompileError, open_verified};
use crate::query::{CorporateData, PostalData};
use crate::snapshot::{Dataset, DatasetKind, Versions};
use crate::text::codes::DataVersion;
use crate::update::address::{Address, Site};
use crate::update::check::Form;
use crate::update::error::UpdateError;
use crate::update::http::{Request, Session};
use crate::update::keep::Edition;
use crate::update::manifest::{Kept, Manifest};
use crate::update::page::japanpost::{self, AreaPage, Differences, Month};
use crate::update::release::{Look, Published, Release};
use crate::update::run::{Run, version_of};
use crate::update::wanted::{Name, Wanted};

pub struct Postal;

/// The files of an edition.
pub struct Plan {
    version: DataVersion,
    area: Address,
    business: Address,
    roman: Option<Address>,
    town: Address,
    differences: Vec<Address>,
}

const AREA: &str = "utf_ken_all.zip";
const BUSINESS: &str = "jigyosyo.zip";
const ROMAN: &str = "ken_all_rome.zip";

/// The address file has 2.1 MB, the town master 11.5 MB.
const JAPANPOST_BYTES_MAX: u64 = 64 << 20;
const TOWN_BYTES_MAX: u64 = 256 << 20;

impl Release for Postal {
    type Plan = Plan;

    fn look(run: &Run<'_>) -> Result<Look<Plan>, UpdateError> {
        let session = run.session();
        let offered = offered(run, &session)?;
        let edition = version_of(offered.date);
        let installed = run.installed::<PostalData>()?;
        if installed.is_some_and(|installed| installed >= edition) {
            return Ok(Look { edition, installed, plan: None, files: Vec::new() });
        }
        let plan = plan(run, &session, offered, installed)?;
        let files = [&plan.area, &plan.business, &plan.town].into_iter();
        let files = files.chain(&plan.roman).chain(&plan.differences).map(Address::to_string);
        Ok(Look { edition, installed, files: files.collect(), plan: Some(plan) })
    }

    fn bring(run: &Run<'_>, plan: Plan) -> Result<Published, UpdateError> {
        let session = run.session();
        let mut edition = Edition::open(run, plan.version)?;
        let area = edition.fetch(&session, wanted("area", &plan.area, AREA, "utf_ken_all.csv"))?;
        let business = wanted("business", &plan.business, BUSINESS, "jigyosyo.csv");
        let business = edition.fetch(&session, Wanted { may_repeat: true, ..business })?;
        let updates = fetch_differences(run, &session, &mut edition, &plan.differences)?;
        let roman = fetch_roman(run, &session, &mut edition, plan.roman.as_ref());
        let town = fetch_town(run, &session, &mut edition, &plan.town)?;
        let corporations = corporations(run);
        let weighed_by = corporations.as_ref().map(|data| data.file().version());
        let month = plan.version.month();
        let open = |file: &Kept, kind| Source::open(&file.path, kind, Some(&month));
        let sources = PostalSources {
            area: open(&area, Kind::Area)?,
            roman: roman.map(|roman| open(&roman, Kind::Roman)).transpose()?,
            business: Some(open(&business, Kind::Business)?),
            addressing: town.map(|town| open(&town, Kind::Addressing)).transpose()?,
            towns: towns(run)?,
            corporations,
            updates: updates
                .iter()
                .map(|file| open(file, Kind::Update))
                .collect::<Result<_, _>>()?,
            download: true,
        };
        let report = postal::build(&run.target(plan.version), sources, run.watch)?;
        run.warn_of(&report.log);
        edition.finish()?;
        published(plan.version, &report, weighed_by)
    }
}

/// The content of the page of the address file; with local files, the files in the folder.
fn offered(run: &Run<'_>, session: &Session<'_>) -> Result<AreaPage, UpdateError> {
    let address = run.address(Site::Japanpost, "area-page");
    let Some(folder) = run.folder() else {
        return japanpost::area_page(&session.page(&address)?);
    };
    let date = match Manifest::read(folder.path())? {
        Some(manifest) => manifest.edition.date(),
        None => japanpost::edition(&run.page(session, &address)?)?,
    };
    let names = folder.names().iter().filter_map(|name| address.join(name));
    let differences = japanpost::newest(names, &["utf_add_", "utf_del_"]);
    let area = address.join(AREA).expect("a name is an address beside the page");
    Ok(AreaPage { date, area, differences })
}

fn plan(
    run: &Run<'_>,
    session: &Session<'_>,
    offered: AreaPage,
    installed: Option<DataVersion>,
) -> Result<Plan, UpdateError> {
    let month = Month::published_on(offered.date);
    let follows =
        installed.is_none_or(|installed| Month::published_on(installed.date()) >= month.before());
    let fits = |found: &Differences| follows && found.month == month;
    let mut differences = offered.differences.filter(fits).map(|found| found.files);
    let office = run.address(Site::Japanpost, "office-page");
    let roman_page = run.address(Site::Japanpost, "roman-page");
    let (business, roman);
    if run.folder().is_some() {
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
        roman = found.inspect_err(|error| warn_without_roman(run, error)).ok();
    }
    let (version, area) = (version_of(offered.date), offered.area);
    let (town, differences) = (run.address(Site::Abr, "town"), differences.unwrap_or_default());
    Ok(Plan { version, area, business, roman, town, differences })
}

/// A full file of Japan Post.
fn wanted(role: &str, address: &Address, name: &str, member: &str) -> Wanted {
    Wanted {
        role: role.to_owned(),
        request: Request::Get(address.clone()),
        name: Name::Exact(name.to_owned()),
        form: Form::ZipOfCsv { member: member.to_owned() },
        whole: true,
        may_repeat: false,
        bytes_max: JAPANPOST_BYTES_MAX,
    }
}

/// A month without additions or deletions has no file of them.
fn fetch_differences(
    run: &Run<'_>,
    session: &Session<'_>,
    edition: &mut Edition<'_>,
    differences: &[Address],
) -> Result<Vec<Kept>, UpdateError> {
    let mut files = Vec::new();
    for address in differences {
        let name = address.file_name().to_owned();
        let member = name.replace(".zip", ".csv");
        let wanted = Wanted { whole: false, ..wanted(&name, address, &name, &member) };
        match edition.fetch(session, wanted) {
            Ok(kept) => files.push(kept),
            Err(error) if error.is_not_found() => {
                run.doing(&format!("{name} is missing this month"))
            }
            Err(error) => return Err(error),
        }
    }
    Ok(files)
}

/// The roman file is only checked and recorded as a source: a version without it is equally good.
fn fetch_roman(
    run: &Run<'_>,
    session: &Session<'_>,
    edition: &mut Edition<'_>,
    address: Option<&Address>,
) -> Option<Kept> {
    let wanted = wanted("roman", address?, ROMAN, "ken_all_rome.csv");
    let fetched = edition.fetch(session, Wanted { may_repeat: true, ..wanted });
    if run.folder().is_some() && fetched.as_ref().is_err_and(UpdateError::is_not_found) {
        return None;
    }
    fetched.inspect_err(|error| warn_without_roman(run, error)).ok()
}

fn warn_without_roman(run: &Run<'_>, error: &UpdateError) {
    run.warn(format!("built without the roman file, which is only checked: {error}"));
}

/// The registry rejects addresses outside Japan; then the file of the previous edition is reused.
fn fetch_town(
    run: &Run<'_>,
    session: &Session<'_>,
    edition: &mut Edition<'_>,
    address: &Address,
) -> Result<Option<Kept>, UpdateError> {
    let wanted = Wanted {
        role: "addressing".to_owned(),
        request: Request::Get(address.clone()),
        name: Name::Exact("mt_town_all.csv.zip".to_owned()),
        form: Form::ZipOfCsv { member: "mt_town_all.csv".to_owned() },
        whole: true,
        may_repeat: true,
        bytes_max: TOWN_BYTES_MAX,
    };
    let error = match edition.fetch(session, wanted) {
        Ok(kept) => return Ok(Some(kept)),
        Err(error @ UpdateError::Io { .. }) => return Err(error),
        Err(error) => error,
    };
    let before = edition.repeat("addressing")?;
    let instead = match &before {
        Some(before) => {
            format!("using the town master downloaded on {} again", before.fetched_on())
        }
        None => "town_jukyohyoji is false in all records".to_owned(),
    };
    run.warn(format!("{instead}: {error}"));
    Ok(before)
}

/// The operator's file of coordinates; it belongs to no edition.
fn towns(run: &Run<'_>) -> Result<Option<Source>, UpdateError> {
    let path = run.options.towns.as_deref();
    Ok(path.map(|path| Source::open(path, Kind::Towns, None)).transpose()?)
}

/// The corporations that weight the places: the newest intact snapshot of the folder. Postal data are also
/// built without them, so any problem is only a warning.
fn corporations(run: &Run<'_>) -> Option<CorporateData> {
    let folder = &run.options.snapshots;
    let versions = match Versions::<CorporateData>::scan(folder, None) {
        Ok(versions) => versions,
        Err(cause) => {
            let folder = folder.join(DatasetKind::Corporate.name());
            warn_of_corporations(run, &UpdateError::io(&folder, cause));
            return None;
        }
    };
    versions.refused().for_each(|error| warn_of_corporations(run, error));
    for (_version, data) in versions.iter().rev() {
        let path = data.file().path();
        match open_corporations(path) {
            Ok((data, true)) => return Some(data),
            // With only a few prefectures, any hamlet there would be ranked above 銀座.
            Ok((_data, false)) => {
                run.doing(&format!(
                    "suggestions are not ordered by {}: it has only the corporations of some prefectures",
                    path.display()
                ));
                return None;
            }
            Err(error) => warn_of_corporations(run, &error),
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

fn warn_of_corporations(run: &Run<'_>, error: &dyn Display) {
    run.warn(format!("suggestions cannot be ordered by this corporate snapshot: {error}"));
}

fn published(
    edition: DataVersion,
    report: &PostalReport,
    weighed_by: Option<DataVersion>,
) -> Result<Published, UpdateError> {
    let counts = report.data.counts()?;
    let mut summary = format!(
        "{} records, {} codes, {} businesses; {} changed, {} abolished",
        counts.records, counts.codes, counts.corporations, counts.changed, counts.abolished
    );
    if let Some(version) = weighed_by {
        summary.push_str(&format!("; suggestions ordered by the corporations of {version}"));
    }
    Ok(Published { edition, path: report.data.file().path().to_owned(), summary })
}
