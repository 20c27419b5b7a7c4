//! A text with holes, such as `expected {expected}; found {found}`, written as `format!` and `thiserror` write it.
//!
//! A template finds its holes in a finished text, and fills them into another template. Knows no language.

/// A text with holes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Template {
    parts: Vec<Part>,
    literal_length: usize,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Part {
    Literal(String),
    /// A hole with its name. One without a name has its number.
    Hole(String),
}

/// The name of a hole that holds a number only, so that `{count} rows` is not the end of any sentence.
const COUNT: &str = "count";

/// What stands in the holes of a text: names and contents.
pub type Holes<'t> = Vec<(&'t str, &'t str)>;

impl Template {
    /// `None` for braces that do not match.
    pub fn parse(text: &str) -> Option<Template> {
        let (mut parts, mut literal, mut unnamed) = (Vec::new(), String::new(), 0_usize);
        let mut rest = text;
        while let Some(at) = rest.find(['{', '}']) {
            literal.push_str(&rest[..at]);
            let brace = &rest[at..=at];
            rest = &rest[at + 1..];
            if let Some(after) = rest.strip_prefix(brace) {
                literal.push_str(brace);
                rest = after;
                continue;
            }
            let (hole, after) = rest.split_once('}').filter(|_| brace == "{")?;
            rest = after;
            let name = match hole.split(':').next().unwrap_or_default() {
                "" => {
                    unnamed += 1;
                    (unnamed - 1).to_string()
                }
                name => name.to_owned(),
            };
            push_literal(&mut parts, &mut literal);
            parts.push(Part::Hole(name));
        }
        literal.push_str(rest);
        push_literal(&mut parts, &mut literal);
        let literal_length = literals(&parts).map(str::len).sum();
        Some(Template { parts, literal_length })
    }

    /// The length of what it says outside holes.
    pub fn literal_length(&self) -> usize {
        self.literal_length
    }

    /// What it says outside holes.
    pub fn literals(&self) -> impl Iterator<Item = &str> {
        literals(&self.parts)
    }

    /// Whether it begins with a text, and not with a hole, which fits anything.
    pub fn begins_with_text(&self) -> bool {
        matches!(self.parts.first(), Some(Part::Literal(_)))
    }

    /// The names of its holes.
    #[cfg(test)]
    pub fn holes(&self) -> impl Iterator<Item = &str> {
        self.parts.iter().filter_map(|part| match part {
            Part::Hole(name) => Some(name.as_str()),
            Part::Literal(_) => None,
        })
    }

    /// The holes of a text that this template made, each as short as it can be; `None` if it did not make the text. Of
    /// two holes side by side the second has all.
    pub fn find<'t>(&'t self, text: &'t str) -> Option<Holes<'t>> {
        if text.len() < self.literal_length {
            return None;
        }
        let (mut holes, mut rest, mut open) = (Vec::new(), text, None);
        for (index, part) in self.parts.iter().enumerate() {
            match part {
                Part::Hole(name) => open = Some(name.as_str()),
                Part::Literal(literal) => {
                    let is_last = index + 1 == self.parts.len();
                    let at = match (open, is_last) {
                        (None, _) => rest.starts_with(literal.as_str()).then_some(0)?,
                        (Some(_), true) => rest.strip_suffix(literal.as_str())?.len(),
                        (Some(_), false) => rest.find(literal.as_str())?,
                    };
                    holes.extend(open.take().map(|name| (name, &rest[..at])));
                    rest = &rest[at + literal.len()..];
                }
            }
        }
        match open {
            Some(name) => holes.push((name, rest)),
            None if rest.is_empty() => {}
            None => return None,
        }
        holes.iter().all(|(name, content)| *name != COUNT || is_number(content)).then_some(holes)
    }

    /// The text with its holes filled by `content`, which gets their names.
    pub fn fill(&self, mut content: impl FnMut(&str) -> String) -> String {
        let mut out = String::new();
        for part in &self.parts {
            match part {
                Part::Literal(literal) => out.push_str(literal),
                Part::Hole(name) => out.push_str(&content(name)),
            }
        }
        out
    }
}

fn literals(parts: &[Part]) -> impl Iterator<Item = &str> {
    parts.iter().filter_map(|part| match part {
        Part::Literal(literal) => Some(literal.as_str()),
        Part::Hole(_) => None,
    })
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit() || byte == b',')
}

fn push_literal(parts: &mut Vec<Part>, literal: &mut String) {
    if !literal.is_empty() {
        parts.push(Part::Literal(std::mem::take(literal)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_has_the_holes_of_the_template_that_made_it() {
        for (template, text, expected) in [
            ("none", "none", Some(vec![])),
            ("none", "none at all", None),
            ("a {x}", "a b c", Some(vec![("x", "b c")])),
            ("{path}: {cause}", "a: b: c", Some(vec![("path", "a"), ("cause", "b: c")])),
            ("{} of {}", "1 of 2", Some(vec![("0", "1"), ("1", "2")])),
            ("{found:?}, {fault}", "\"x\", y", Some(vec![("found", "\"x\""), ("fault", "y")])),
            (
                "{error}; leave it out",
                "a; leave it out; leave it out",
                Some(vec![("error", "a; leave it out")]),
            ),
            ("{{{x}}}", "{y}", Some(vec![("x", "y")])),
            ("a {x} b", "a  b", Some(vec![("x", "")])),
            ("a {x} b", "a b", None),
            ("{count} rows", "1,000 rows", Some(vec![("count", "1,000")])),
            ("{count} rows", "no rows", None),
            ("{a}{b}.", "c.", Some(vec![("b", "c")])),
        ] {
            let parsed = Template::parse(template).expect(template);
            assert_eq!(parsed.find(text), expected, "{template} {text}");
        }
    }

    #[test]
    fn holes_are_filled_by_name() {
        let template = Template::parse("{b} {{}} {a}, {b}").expect("a template");
        assert_eq!(template.fill(|name| name.repeat(2)), "bb {} aa, bb");
        assert_eq!(template.holes().collect::<Vec<_>>(), ["b", "a", "b"]);
        assert_eq!(template.literal_length(), " {} , ".len());
    }

    #[test]
    fn braces_that_do_not_match_are_no_template() {
        for wrong in ["{", "}", "a { b", "a } b", "{a}}"] {
            assert_eq!(Template::parse(wrong), None, "{wrong}");
        }
    }
}
