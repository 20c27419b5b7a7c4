//! What can be updated, in this order: the datasets and, after the first of them, the list of holidays. Later ones
//! normalise addresses with the postal data.

use super::DATASETS;
use crate::update::dataset::holidays::Holidays;
use crate::update::{self, Observer, Options, Report, Subject, UpdateError, UpdateSource};

pub const HOLIDAYS: Subject = Subject::without_snapshots("holidays");

const COUNT: usize = DATASETS.len() + 1;

/// How many datasets are updated before the list of holidays.
const BEFORE_HOLIDAYS: usize = 1;

const SOURCES: &[UpdateSource; COUNT] = &{
    let mut sources = [UpdateSource::new::<Holidays>(HOLIDAYS); COUNT];
    let mut dataset = 0;
    while dataset < DATASETS.len() {
        let position = if dataset < BEFORE_HOLIDAYS { dataset } else { dataset + 1 };
        sources[position] = DATASETS[dataset].source;
        dataset += 1;
    }
    sources
};

pub const SUBJECTS: [Subject; COUNT] = {
    let mut subjects = [HOLIDAYS; COUNT];
    let mut index = 0;
    while index < COUNT {
        subjects[index] = SOURCES[index].subject;
        index += 1;
    }
    subjects
};

pub fn named(name: &str) -> Option<Subject> {
    SUBJECTS.into_iter().find(|subject| subject.name() == name)
}

/// Updates a snapshot folder; see [`update::run`].
pub fn run(options: &Options, observer: &dyn Observer) -> Result<Vec<Report>, UpdateError> {
    update::run(options, SOURCES, observer)
}

/// What an update with these options would update.
pub fn subjects(options: &Options) -> Vec<Subject> {
    let chosen = update::chosen(options, SOURCES).into_iter();
    chosen.map(|source| source.subject).collect()
}
