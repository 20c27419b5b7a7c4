//! The names of operations, from which code generators derive function names, and real answers by these names.

use crate::api::endpoint::{Endpoint, Handler, Verb};

/// The documented methods of an endpoint, with their names in OpenAPI.
pub fn methods(endpoint: &Endpoint) -> Vec<(Verb, &'static str)> {
    match (endpoint.method, endpoint.handler) {
        (Verb::Post, _) => vec![(Verb::Post, "post")],
        (Verb::Get, Handler::Search(_)) => vec![(Verb::Get, "get"), (Verb::Post, "post")],
        (Verb::Get, _) => vec![(Verb::Get, "get")],
    }
}

/// The name of an operation, which stays the same: `getBankByBankBranches` for `GET /v1/bank/{bank}/branches`.
pub fn id(endpoint: &Endpoint, method: Verb) -> String {
    let mut id = match method {
        Verb::Get => "get".to_owned(),
        Verb::Post => "post".to_owned(),
    };
    let path = endpoint.path.strip_prefix("/v1").unwrap_or(endpoint.path);
    for part in path.split(['/', '_', '.']) {
        let (by, name) = match part.strip_prefix('{') {
            Some(name) => ("By", name.trim_end_matches('}')),
            None => ("", part),
        };
        let mut letters = name.chars();
        id.push_str(by);
        id.extend(letters.next().map(|first| first.to_ascii_uppercase()));
        id.extend(letters);
    }
    id
}

/// The recorded answer of an operation, indented; `None` if there is none.
pub fn recorded_answer(operation: &str) -> Option<&'static str> {
    /// For each operation a heading and its answer in a block of JSON, which a test records over the sample data.
    const ANSWERS: &str = include_str!("../../../docs/answers.md");
    let mut sections = ANSWERS.split("\n## ").skip(1);
    let section = sections.find(|section| section.lines().next() == Some(operation))?;
    let (_, block) = section.split_once("```json\n")?;
    block.split_once("\n```").map(|(answer, _)| answer)
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;
    use crate::api::table::TABLE;

    #[test]
    fn every_operation_has_a_unique_name() {
        let mut names = HashSet::new();
        for endpoint in TABLE {
            for (method, _) in methods(endpoint) {
                let name = id(endpoint, method);
                assert!(name.chars().all(|letter| letter.is_ascii_alphanumeric()), "{name}");
                assert!(names.insert(name.clone()), "{name}");
            }
        }
        assert!(names.contains("getBankByBankBranchesByBranch"), "{names:?}");
        assert!(names.contains("postBatchPostalcodeSearch"), "{names:?}");
    }
}
