//! The real answers of the examples, which a test asks of a server over the sample data and keeps in `docs/answers.md`.

/// The file: a heading for each operation, and its answer in a block of JSON.
const TEXT: &str = include_str!("../../docs/answers.md");

/// The answer of an operation, indented; `None` where the file has none.
pub fn of(operation: &str) -> Option<&'static str> {
    let mut sections = TEXT.split("\n## ").skip(1);
    let section = sections.find(|section| section.lines().next() == Some(operation))?;
    let (_, block) = section.split_once("```json\n")?;
    block.split_once("\n```").map(|(answer, _)| answer)
}
