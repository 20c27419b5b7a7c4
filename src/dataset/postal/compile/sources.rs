//! Reads the source files of a build into rows. The numbers of rows and rejects per file are kept for the snapshot.

use build_tools::postal::{
    AddressingRow, AreaRow, BusinessRow, TownPointRow, Update, read_addressing, read_area,
    read_business, read_roman, read_towns, read_update,
};
use build_tools::{Batch, Source, SourceError};

use super::changes::Differences;
use crate::address::suggest::Counts;
use crate::compile::{Result, Warning, target::Build};
use crate::dataset::corporate::CorporateData;
use crate::record::postal::Source as SourceCount;

/// The role of a corporate snapshot among the sources of a version; that snapshot's version follows.
pub(super) const CORPORATE_ROLE: &str = "corporate ";

pub struct PostalSources {
    pub area: Source,
    pub roman: Option<Source>,
    pub business: Option<Source>,
    pub addressing: Option<Source>,
    /// Coordinates of towns.
    pub towns: Option<Source>,
    /// Suggestions weigh places by their number of corporations; without this, by their number of records.
    pub corporations: Option<CorporateData>,
    pub updates: Vec<Source>,
    /// Whether to make the download beside the snapshot.
    pub download: bool,
}

#[derive(Default)]
pub(super) struct SourceRows {
    pub(super) area: Vec<AreaRow>,
    pub(super) business: Vec<BusinessRow>,
    pub(super) addressing: Vec<AddressingRow>,
    /// Coordinates of towns; `None` if the build has no file of them.
    pub(super) towns: Option<Vec<TownPointRow>>,
    pub(super) area_differences: Option<Differences<AreaRow>>,
    pub(super) business_differences: Option<Differences<BusinessRow>>,
    /// The number of corporations by postal code.
    pub(super) corporations: Option<Counts>,
    pub(super) counts: Vec<SourceCount>,
}

impl SourceRows {
    pub(super) fn read(sources: PostalSources, build: &mut Build<'_>) -> Result<SourceRows> {
        let mut reader = Reader { build, counts: Vec::new() };
        let area = reader.read("area", Some(sources.area), read_area)?;
        let business = reader.read("business", sources.business, read_business)?;
        // Checked and counted only: roman names are made from the readings.
        reader.read("roman", sources.roman, read_roman)?;
        let addressing = reader.read("addressing", sources.addressing, read_addressing)?;
        let has_towns = sources.towns.is_some();
        let towns = reader.read("towns", sources.towns, read_towns)?;
        let towns = has_towns.then_some(towns);
        let mut rows = SourceRows { area, business, addressing, towns, ..SourceRows::default() };
        for source in sources.updates {
            reader.read_update(source, &mut rows)?;
        }
        if let Some(corporations) = &sources.corporations {
            rows.corporations = Some(reader.count_corporations(corporations)?);
        }
        rows.counts = reader.counts;
        Ok(rows)
    }
}

struct Reader<'r, 'b> {
    build: &'r mut Build<'b>,
    counts: Vec<SourceCount>,
}

type ReadFile<T> = fn(Source, build_tools::Progress<'_>) -> Result<Batch<T>, SourceError>;

impl Reader<'_, '_> {
    fn read<T>(&mut self, role: &str, source: Option<Source>, read: ReadFile<T>) -> Result<Vec<T>> {
        let Some(source) = source else { return Ok(Vec::new()) };
        self.build.progress.step(&format!("reading {role}"));
        let batch = read(source, &mut |done, total| self.build.progress.advance(done, total))?;
        Ok(self.rows_of(role, batch))
    }

    /// Counts the corporations that are not closed, by postal code.
    fn count_corporations(&mut self, corporations: &CorporateData) -> Result<Counts> {
        self.build.progress.step("counting corporations");
        let (mut counts, mut rows) = (Counts::default(), 0);
        corporations.for_each(|corporation| {
            if let Some(code) = corporation.post_code().filter(|_| !corporation.is_closed()) {
                counts.add(code);
                rows += 1;
            }
        })?;
        let role = format!("{CORPORATE_ROLE}{}", corporations.version());
        self.counts.push(SourceCount { role, rows, rejects: 0 });
        Ok(counts)
    }

    /// Counts a batch for the snapshot and the log, and returns its rows.
    fn rows_of<T>(&mut self, role: &str, batch: Batch<T>) -> Vec<T> {
        let count = |rows: usize| u32::try_from(rows).unwrap_or(u32::MAX);
        let (rows, rejects) = (count(batch.rows.len()), count(batch.rejects.len()));
        self.counts.push(SourceCount { role: role.to_owned(), rows, rejects });
        self.build.log.add_batch(batch)
    }

    fn read_update(&mut self, source: Source, rows: &mut SourceRows) -> Result<()> {
        self.build.progress.step("reading differences");
        let file = source.name().to_owned();
        let update =
            read_update(source, &mut |done, total| self.build.progress.advance(done, total))?;
        let area = &mut rows.area_differences;
        let business = &mut rows.business_differences;
        match update {
            Update::AreaAdded(batch) => {
                area.get_or_insert_default().added.extend(self.rows_of("area added", batch));
            }
            Update::AreaRemoved(batch) => {
                area.get_or_insert_default().removed.extend(self.rows_of("area removed", batch));
            }
            Update::BusinessAdded(batch) => {
                business
                    .get_or_insert_default()
                    .added
                    .extend(self.rows_of("business added", batch));
            }
            Update::BusinessRemoved(batch) => {
                let removed = self.rows_of("business removed", batch);
                business.get_or_insert_default().removed.extend(removed);
            }
            Update::Empty => self.build.log.warnings.push(Warning::EmptyUpdate { file }),
        }
        Ok(())
    }
}
