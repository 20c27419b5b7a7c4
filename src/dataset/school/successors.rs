//! Which open schools followed which closed ones: the codes of the lists (移行後の学校コード), from closed school to closed
//! school until one is open.
//!
//! Made of the records when the search is opened, 16 bytes for a pair. A code that no list has leads nowhere, and neither
//! does a circle. A school that only got another code kept its name; such a pair is left out, because the name finds
//! the open school itself. Knows no name that a school had while its code stayed the same: the lists have none.

use super::record::{ArchivedSchoolTables, SchoolView};

/// Most closed schools on the ways from one to the open ones.
const CLOSED_MAX: usize = 64;

/// The pairs of a closed school and an open one that followed it.
#[derive(Debug, Default)]
pub struct Successors {
    /// The rows of the closed and of the open school, ascending.
    by_closed: Vec<[u32; 2]>,
    /// The rows of the open and of the closed school, ascending.
    by_open: Vec<[u32; 2]>,
}

impl Successors {
    pub fn new(tables: &ArchivedSchoolTables) -> Successors {
        let name_key = |row| SchoolView::read(tables, row).map(SchoolView::name_key);
        let rows = 0..tables.schools.len() as u32;
        let closed = rows.filter(|row| is_closed(tables, *row));
        let by_closed: Vec<[u32; 2]> = closed
            .flat_map(|closed| open_after(tables, closed).into_iter().map(move |it| [closed, it]))
            .filter(|[closed, open]| name_key(*closed) != name_key(*open))
            .collect();
        let mut by_open: Vec<[u32; 2]> =
            by_closed.iter().map(|[closed, open]| [*open, *closed]).collect();
        by_open.sort_unstable();
        Successors { by_closed, by_open }
    }

    /// The open schools that followed a closed one, under another name.
    pub fn after(&self, closed: u32) -> impl Iterator<Item = u32> {
        partners(&self.by_closed, closed)
    }

    /// The closed schools that an open one followed, under another name.
    pub fn before(&self, open: u32) -> impl Iterator<Item = u32> {
        partners(&self.by_open, open)
    }
}

fn partners(pairs: &[[u32; 2]], of: u32) -> impl Iterator<Item = u32> {
    let start = pairs.partition_point(|[first, _]| *first < of);
    pairs[start..].iter().take_while(move |[first, _]| *first == of).map(|[_, second]| *second)
}

fn is_closed(tables: &ArchivedSchoolTables, row: u32) -> bool {
    SchoolView::read(tables, row).is_some_and(SchoolView::is_closed)
}

/// The rows of the open schools to which the codes of a closed one lead, ascending.
fn open_after(tables: &ArchivedSchoolTables, closed: u32) -> Vec<u32> {
    let (mut open, mut ways) = (Vec::new(), vec![closed]);
    let mut next = 0;
    while let Some(school) = ways.get(next).and_then(|row| SchoolView::read(tables, *row)) {
        next += 1;
        for row in school.new_codes().filter_map(|code| tables.find(code)) {
            if !is_closed(tables, row) {
                open.push(row);
            } else if ways.len() < CLOSED_MAX && !ways.contains(&row) {
                ways.push(row);
            }
        }
    }
    open.sort_unstable();
    open.dedup();
    open
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use rkyv::rancor;

    use super::*;
    use crate::dataset::school::names::name_key;
    use crate::dataset::school::record::{School, SchoolTables};
    use crate::record::parts::AddressPlace;
    use crate::snapshot::{OwnMemory, Section};

    const FIRST_CODE: u64 = 2_113_210_000_000;

    /// Schools in one place, so that the row of each is its index: the name, whether it is closed, and the indexes that
    /// its codes lead to.
    fn successors(schools: &[(&str, bool, &[u64])]) -> Successors {
        let school = |(index, (name, is_closed, next)): (usize, &(&str, bool, &[u64]))| School {
            code: FIRST_CODE + index as u64,
            name: (*name).to_owned(),
            name_key: name_key(name),
            new_codes: next.iter().map(|index| FIRST_CODE + index).collect(),
            school_type: 21,
            prefecture: 13,
            establishment: 2,
            branch: if *is_closed { 9 } else { 1 },
            ..School::default()
        };
        let schools = schools.iter().enumerate().map(school);
        let placed = schools.map(|school| (AddressPlace::default(), school)).collect();
        let tables = SchoolTables::build(placed);
        let bytes = rkyv::to_bytes::<rancor::Error>(&tables).expect("archives");
        let section: Section<ArchivedSchoolTables> =
            Section::validate(OwnMemory::of(bytes)).expect("archived data are valid");
        assert_eq!(section.root().check(), Ok(()));
        Successors::new(section.root())
    }

    #[test]
    fn codes_lead_from_a_closed_school_to_open_ones() {
        type Case<'a> = (&'a str, &'a [(&'a str, bool, &'a [u64])], &'a [u32]);
        let cases: &[Case<'_>] = &[
            ("one step", &[("東", true, &[1]), ("西", false, &[])], &[1]),
            ("a chain", &[("東", true, &[1]), ("南", true, &[2]), ("西", false, &[])], &[2]),
            ("two", &[("東", true, &[2, 1]), ("南", false, &[]), ("西", false, &[])], &[1, 2]),
            (
                "two ways to one",
                &[
                    ("東", true, &[1, 2]),
                    ("南", true, &[3]),
                    ("北", true, &[3]),
                    ("西", false, &[]),
                ],
                &[3],
            ),
            ("a missing code", &[("東", true, &[99])], &[]),
            ("a missing and a known one", &[("東", true, &[99, 1]), ("西", false, &[])], &[1]),
            ("no code", &[("東", true, &[])], &[]),
            ("itself", &[("東", true, &[0])], &[]),
            ("a circle", &[("東", true, &[1]), ("西", true, &[0])], &[]),
            (
                "a circle with a way out",
                &[("東", true, &[1]), ("西", true, &[0, 2]), ("南", false, &[])],
                &[2],
            ),
            ("the same name", &[("東", true, &[1]), ("東", false, &[])], &[]),
            (
                "its own name after another one",
                &[("東", true, &[1]), ("西", true, &[2]), ("東", false, &[])],
                &[],
            ),
            ("an open school", &[("東", false, &[1]), ("西", false, &[])], &[]),
        ];
        for (what, schools, expected) in cases {
            let found = successors(schools);
            assert_eq!(found.after(0).collect::<Vec<_>>(), *expected, "{what}");
            for open in *expected {
                assert!(found.before(*open).any(|closed| closed == 0), "{what}");
            }
        }
    }

    #[test]
    fn a_long_chain_ends_at_the_bound() {
        let chain = |closed: usize| {
            let next: Vec<[u64; 1]> = (1..=closed as u64).map(|index| [index]).collect();
            let closed = next.iter().map(|next| ("東", true, &next[..]));
            let schools: Vec<_> = closed.chain([("西", false, &[][..])]).collect();
            successors(&schools).after(0).count()
        };
        assert_eq!((chain(CLOSED_MAX), chain(CLOSED_MAX + 1)), (1, 0));
    }

    proptest! {
        #[test]
        fn pairs_are_those_that_codes_connect(
            schools in prop::collection::vec((any::<bool>(), prop::collection::vec(0u64..10, 0..3)), 1..9),
        ) {
            let named: Vec<String> = (0..schools.len()).map(|index| format!("校{index}")).collect();
            let made: Vec<_> = schools
                .iter()
                .zip(&named)
                .map(|((is_closed, next), name)| (&**name, *is_closed, &next[..]))
                .collect();
            let found = successors(&made);
            for start in 0..schools.len() {
                // Walks as often as there are schools, from closed schools only.
                let mut reached = vec![start];
                for _ in 0..schools.len() {
                    let closed = reached.iter().filter(|index| schools[**index].0);
                    let next = closed.flat_map(|index| schools[*index].1.iter());
                    let next: Vec<usize> = next.map(|index| *index as usize).collect();
                    reached.extend(next.into_iter().filter(|index| *index < schools.len()));
                    reached.sort_unstable();
                    reached.dedup();
                }
                let open = reached.iter().filter(|index| schools[start].0 && !schools[**index].0);
                let open: Vec<u32> = open.map(|index| *index as u32).collect();
                prop_assert_eq!(found.after(start as u32).collect::<Vec<_>>(), open);
                for closed in found.before(start as u32) {
                    prop_assert!(found.after(closed).any(|open| open as usize == start));
                }
            }
        }
    }
}
