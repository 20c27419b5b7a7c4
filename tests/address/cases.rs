//! Cases chosen by hand: kinds of writing that public test sets of address parsers show, with
//! answers found in the official files (`cases.tsv`).
//!
//! The columns are those of the examples without id, source and category; `?` is not scored, `a|b`
//! is either, an empty cell is absent. `\n` and `\t` in an input stand for the characters.

use daicho::address::Component;

use crate::case::{Bound, Case, Sweep, Want};
use crate::month::month;

fn read(line: &'static str) -> Case {
    let cells: Vec<&'static str> = line.split('\t').collect();
    let [class, input, components @ .., codes] = cells.as_slice() else {
        panic!("twelve columns in {line:?}")
    };
    assert_eq!(components.len(), Component::ALL.len(), "the columns of {line:?}");
    let mut case = Case::new(class, input.replace("\\n", "\n").replace("\\t", "\t"));
    for (component, cell) in Component::ALL.into_iter().zip(components) {
        let want = match *cell {
            "?" => Want::Any,
            cell => Want::OneOf(cell.split('|').map(str::to_owned).collect()),
        };
        case = case.want(component, want);
    }
    let codes = codes.split('|').filter(|code| *code != "?");
    case.codes(codes.map(|code| code.parse().expect("seven digits")))
}

#[test]
fn cases_chosen_by_hand() {
    let Some(month) = month() else { return };
    let mut sweep = Sweep::new("cases", month);
    for line in include_str!("cases.tsv").lines().skip(1) {
        sweep.run(&read(line));
    }
    sweep.finish(Bound { all: 50, core: 50, code: 60 });
}
