//! Real answers to the examples, which a test records from a server over the sample data in `docs/answers.md`.

/// The file: for each operation a heading and its answer in a block of JSON.
const TEXT: &str = include_str!("../../docs/answers.md");

/// The answer of an operation, indented; `None` if the file has none.
pub fn find(operation: &str) -> Option<&'static str> {
    let mut sections = TEXT.split("\n## ").skip(1);
    let section = sections.find(|section| section.lines().next() == Some(operation))?;
    let (_, block) = section.split_once("```json\n")?;
    block.split_once("\n```").map(|(answer, _)| answer)
}
