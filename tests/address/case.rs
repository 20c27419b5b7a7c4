//! One address with its expected components, and the score of many such cases.
//!
//! Two values are equal if they are equal after NFKC with white space collapsed. A component may have
//! several right values; an absent component is the empty text. The strict mode of the scorer of the
//! example addresses (see `sets`) uses the same rules.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::Path;

use daicho::address::{Address, AddressScratch, Component};
use unicode_normalization::UnicodeNormalization;

use crate::month::{City, Month};

/// The expected value of one component.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Want {
    /// Not scored: the right value is not known.
    Any,
    /// Any of these; the empty text means that the component is absent.
    OneOf(Vec<String>),
}

impl Want {
    /// Exactly this.
    pub fn text(text: impl Into<String>) -> Want {
        Want::OneOf(vec![text.into()])
    }
}

/// An address with its expected components and postal codes.
#[derive(Debug, Clone)]
pub struct Case {
    pub class: &'static str,
    pub input: String,
    pub want: [Want; Component::ALL.len()],
    /// The first code found must be one of these; empty if the right code is not known.
    pub codes: BTreeSet<u32>,
}

impl Case {
    /// A case that expects every component to be absent.
    pub fn new(class: &'static str, input: impl Into<String>) -> Case {
        let want = std::array::from_fn(|_| Want::text(""));
        Case { class, input: input.into(), want, codes: BTreeSet::new() }
    }

    pub fn want(mut self, component: Component, want: Want) -> Case {
        self.want[component as usize] = want;
        self
    }

    pub fn is(self, component: Component, text: impl Into<String>) -> Case {
        self.want(component, Want::text(text))
    }

    pub fn city(self, city: City) -> Case {
        self.is(Component::Prefecture, city.prefecture)
            .is(Component::County, city.county)
            .is(Component::City, city.city)
            .is(Component::CityWard, city.ward)
    }

    pub fn town(self, town: impl Into<String>) -> Case {
        self.is(Component::Town, town)
    }

    pub fn lot(self, lot: impl Into<String>) -> Case {
        self.is(Component::BlockLotNum, lot)
    }

    pub fn codes(mut self, codes: impl IntoIterator<Item = u32>) -> Case {
        self.codes.extend(codes);
        self
    }
}

/// The text in NFKC, without variation selectors and with white space collapsed.
pub fn strict(text: &str) -> String {
    let selector = |c: &char| matches!(c, '\u{FE00}'..='\u{FE0F}' | '\u{E0100}'..='\u{E01EF}');
    let folded: String = text.nfkc().filter(|c| !selector(c)).collect();
    folded.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The form in which values are compared. Letters of a lot (甲158-1, 12-甲) are optional. ヶ, ケ and が of
/// a town are equal, because the data do not have every koaza.
fn compared(component: Component, text: &str) -> String {
    let text = strict(text);
    match component {
        Component::BlockLotNum => {
            let is_letter = |letter: char| !letter.is_ascii();
            let numbers = text.split('-').map(|part| part.strip_prefix(is_letter).unwrap_or(part));
            numbers.filter(|number| !number.is_empty()).collect::<Vec<_>>().join("-")
        }
        Component::Town => text.replace(['ヶ', 'が'], "ケ"),
        _ => text,
    }
}

/// The core components, from the prefecture to the lot, which have a bound of their own.
const CORE: [Component; 6] = [
    Component::Prefecture,
    Component::County,
    Component::City,
    Component::CityWard,
    Component::Town,
    Component::BlockLotNum,
];

/// The highest accepted number of misses in ten thousand cases. Lower it when the normaliser improves.
#[derive(Debug, Clone, Copy)]
pub struct Bound {
    pub all: usize,
    pub core: usize,
    pub code: usize,
}

impl Bound {
    /// Accepts no miss.
    pub const NONE: Bound = Bound { all: 0, core: 0, code: 0 };
}

/// Numbers of cases and of misses.
#[derive(Debug, Default, Clone, Copy)]
struct Tally {
    cases: usize,
    /// Cases that miss any component.
    any_missed: usize,
    /// Cases that miss a core component.
    core_missed: usize,
    /// Cases of which the right codes are known.
    with_code: usize,
    /// Of these, cases that miss the code.
    code_missed: usize,
}

impl Tally {
    fn add(&mut self, other: Tally) {
        self.cases += other.cases;
        self.any_missed += other.any_missed;
        self.core_missed += other.core_missed;
        self.with_code += other.with_code;
        self.code_missed += other.code_missed;
    }
}

/// A run over many cases.
pub struct Sweep<'m> {
    name: &'static str,
    month: &'m Month,
    classes: BTreeMap<&'static str, Tally>,
    misses: Vec<String>,
    scratch: AddressScratch,
    address: Address,
    found: Vec<u32>,
}

impl<'m> Sweep<'m> {
    pub fn new(name: &'static str, month: &'m Month) -> Sweep<'m> {
        let (classes, misses) = (BTreeMap::new(), Vec::new());
        let (scratch, address) = (AddressScratch::default(), Address::default());
        Sweep { name, month, classes, misses, scratch, address, found: Vec::new() }
    }

    pub fn run(&mut self, case: &Case) {
        let (data, scratch) = (self.month.data, &mut self.scratch);
        data.normalize(&case.input, scratch, &mut self.address).expect("sound");
        assert_spans_cover(&case.input, &self.address);
        data.address_rows(&self.address, scratch, &mut self.found).expect("sound");
        let mut tally = Tally { cases: 1, ..Tally::default() };
        let mut wrong = String::new();
        for component in Component::ALL {
            let Want::OneOf(right) = &case.want[component as usize] else { continue };
            let found = self.address.get(component).unwrap_or("");
            if right.iter().any(|right| right == found) {
                continue;
            }
            let folded = compared(component, found);
            if right.iter().any(|right| compared(component, right) == folded) {
                continue;
            }
            tally.any_missed = 1;
            tally.core_missed |= usize::from(CORE.contains(&component));
            let name = component.name();
            let _ = write!(wrong, " | {name}: want {} got {found:?}", right.join("|"));
        }
        if !case.codes.is_empty() {
            tally.with_code = 1;
            let first = self.found.first().and_then(|row| self.month.rows.get(*row as usize));
            let first = first.map(|row| row.code);
            if first.is_none_or(|code| !case.codes.contains(&code)) {
                tally.code_missed = 1;
                let right: Vec<String> =
                    case.codes.iter().take(4).map(|code| format!("{code:07}")).collect();
                let first = first.map_or_else(|| "none".to_owned(), |code| format!("{code:07}"));
                let _ = write!(wrong, " | code: want {} got {first}", right.join("|"));
            }
        }
        self.classes.entry(case.class).or_default().add(tally);
        if !wrong.is_empty() {
            self.misses.push(format!("[{}] {}{wrong}", case.class, case.input));
        }
    }

    /// Prints the figures and the first misses, writes all misses below `target`, and fails if the
    /// misses exceed the bound.
    #[track_caller]
    pub fn finish(self, bound: Bound) {
        let mut sum = Tally::default();
        let name = self.name;
        println!("{name}: class, cases, misses of all nine, of the core six, of the first code");
        for (class, tally) in &self.classes {
            let Tally { cases, any_missed: all, core_missed: core, code_missed: code, .. } = tally;
            println!("  {class:<32} {cases:>7} {all:>6} {core:>6} {code:>6}");
            sum.add(*tally);
        }
        let Tally { cases, any_missed, core_missed, with_code, code_missed } = sum;
        println!(
            "  {:<32} {cases:>7} {any_missed:>6} {core_missed:>6} {code_missed:>6} of {with_code}",
            "in all"
        );
        for miss in first_of_each_class(&self.misses) {
            println!("    {miss}");
        }
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("address-misses");
        std::fs::create_dir_all(&folder).expect("below the target folder");
        std::fs::write(folder.join(name), self.misses.join("\n")).expect("below the target folder");
        assert!(cases > 0, "{name} has cases");
        let within = |misses: usize, of: usize, bound: usize| misses * 10_000 <= bound * of.max(1);
        assert!(
            within(any_missed, cases, bound.all),
            "{name}: {any_missed} of {cases} miss a component"
        );
        assert!(
            within(core_missed, cases, bound.core),
            "{name}: {core_missed} of {cases} miss a core component"
        );
        assert!(
            within(code_missed, with_code, bound.code),
            "{name}: {code_missed} of {with_code} miss the first code"
        );
    }
}

/// The first twenty misses, taken in turn from each class.
fn first_of_each_class(misses: &[String]) -> Vec<&String> {
    let mut seen: BTreeMap<&str, usize> = BTreeMap::new();
    let mut numbered: Vec<(usize, &String)> = Vec::new();
    for miss in misses {
        let class = &miss[..miss.find(']').unwrap_or(0)];
        let count = seen.entry(class).or_default();
        *count += 1;
        numbered.push((*count, miss));
    }
    numbered.sort_by_key(|(number, _)| *number);
    numbered.into_iter().take(20).map(|(_, miss)| miss).collect()
}

/// Asserts that the spans cover the input from its first byte to its last, without a gap or an overlap,
/// and start and end on character boundaries.
#[track_caller]
pub fn assert_spans_cover(input: &str, address: &Address) {
    let mut covered = 0;
    for span in address.spans() {
        assert_eq!(
            span.start as usize,
            covered,
            "gap or overlap in {input:?}: {:?}",
            address.spans()
        );
        assert!(span.end > span.start, "an empty span in {input:?}: {:?}", address.spans());
        covered = span.end as usize;
        assert!(input.is_char_boundary(covered), "inside a character of {input:?}: {span:?}");
    }
    assert_eq!(covered, input.len(), "not covered to the end: {input:?} {:?}", address.spans());
}
