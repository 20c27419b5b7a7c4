//! Cases chosen by hand (`cases.tsv`): forms of writing from public test sets of address parsers, with
//! the expected values looked up in the official files.
//!
//! The columns are the class, the input, the nine components and the postal code. `?` is not scored,
//! `a|b` accepts either, an empty cell expects an absent component. `\n` and `\t` in an input stand for
//! a line break and a tab.

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

#[needs::official_data]
#[test]
fn cases_chosen_by_hand() {
    let month = month();
    let mut sweep = Sweep::new("cases", month);
    for line in include_str!("cases.tsv").lines().skip(1) {
        sweep.run(&read(line));
    }
    sweep.finish(Bound { all: 50, core: 50, code: 60 });
}
