//! Runs the targets of `fuzz/` with mutated seeds on the stable toolchain. It takes seconds, and each run has the same
//! inputs. Unlike libFuzzer, which runs for hours, it is not guided by coverage.

#[path = "../../fuzz/src/lib.rs"]
mod targets;

use proptest::prelude::Rng;
use proptest::test_runner::{RngAlgorithm, TestRng};
use targets::{TARGETS, Target};

/// Runs a target with its seeds and then with `mutations` mutated seeds. Prints the input if the target panics.
fn run(name: &str, mutations: usize) {
    let target = TARGETS.iter().find(|target| target.name == name).expect("a target of this name");
    let seeds = (target.seeds)();
    assert!(seeds.len() > 4, "{} seeds", seeds.len());
    let mut random = TestRng::deterministic_rng(RngAlgorithm::ChaCha);
    for seed in &seeds {
        check(target, seed);
    }
    for _ in 0..mutations {
        let input = mutated(&seeds, &mut random);
        check(target, &input);
    }
}

fn check(target: &Target, input: &[u8]) {
    let run = std::panic::AssertUnwindSafe(|| (target.run)(input));
    if let Err(panic) = std::panic::catch_unwind(run) {
        let name = target.name;
        eprintln!("the input of {name}, as a Rust byte string: b\"{}\"", input.escape_ascii());
        std::panic::resume_unwind(panic);
    }
}

fn below(random: &mut TestRng, end: usize) -> usize {
    random.next_u32() as usize % end.max(1)
}

/// A seed with one to eight changes: bits flipped, bytes replaced, inserted, removed, cut off or repeated, or the end
/// replaced by that of another seed.
fn mutated(seeds: &[Vec<u8>], random: &mut TestRng) -> Vec<u8> {
    let mut input = seeds[below(random, seeds.len())].clone();
    for _ in 0..=below(random, 8) {
        let position = below(random, input.len());
        match below(random, 7) {
            0 if !input.is_empty() => input[position] ^= 1 << below(random, 8),
            1 if !input.is_empty() => input[position] = random.next_u32() as u8,
            2 => input.insert(position, b"\"\\,:()-[]{}\0\n\r %&*/0\xE3\xFF"[below(random, 22)]),
            3 => input.truncate(position),
            4 if !input.is_empty() => drop(input.remove(position)),
            5 => {
                let end = (position + below(random, 40)).min(input.len());
                let part = input[position.min(end)..end].to_vec();
                input.splice(position..position, part.repeat(1 + below(random, 4)));
            }
            _ => {
                let other = &seeds[below(random, seeds.len())];
                input.truncate(position);
                input.extend_from_slice(&other[below(random, other.len()).min(other.len())..]);
            }
        }
    }
    input
}

#[test]
fn any_address_is_answered_and_explained() {
    run("address", 1500);
}

#[test]
fn any_body_is_answered_with_json() {
    run("body", 1500);
}

#[test]
fn any_bytes_on_a_connection_leave_the_server_serving() {
    run("head", 400);
}

#[test]
fn any_parameter_of_a_protocol_is_answered_in_its_form() {
    run("compat", 1500);
}

#[test]
fn any_name_is_matched_or_refused() {
    run("match", 1500);
}

#[cfg(feature = "mcp")]
#[test]
fn any_message_of_an_agent_is_answered_or_refused() {
    run("mcp", 1500);
}

#[test]
fn any_query_is_answered_or_refused() {
    run("query", 1500);
}

#[test]
fn every_command_of_the_snapshot_target_succeeds_on_the_sample() {
    targets::snapshot::check_commands();
}

#[test]
fn a_snapshot_with_repaired_checksums_is_refused_or_answers_json() {
    run("snapshot", 200);
}

#[test]
fn a_snapshot_with_quotes_for_letters_is_refused_or_answers_json() {
    targets::snapshot::quote_letters(&[
        "東", "京", "千", "区", "見", "本", "ミ", "ス", "株", "銀", "Ｔ", "Ｏ",
    ]);
}

#[test]
fn any_source_file_gives_rows_and_rejected_rows_or_an_error() {
    run("source", 3000);
}
