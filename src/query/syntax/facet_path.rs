//! A path in the hierarchy of areas: `/`, `/東京都`, `/東京都/港区`.

use std::fmt;

/// Depth of the hierarchy: prefecture and municipality.
const LEVELS_MAX: usize = 2;

/// A facet path. Names are compared exactly with those in the answers.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct FacetPath {
    names: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum FacetPathError {
    #[error("a facet path begins with '/', such as /東京都/港区; found {found:?}")]
    NoSlash { found: String },
    #[error("a facet path has a name after each slash; found none at level {level}")]
    NoName { level: usize },
    #[error("a facet path has at most {expected} levels, /prefecture/city; found {found}")]
    TooDeep { expected: usize, found: usize },
}

impl FacetPath {
    /// Parses a path. A final slash is ignored.
    pub fn parse(text: &str) -> Result<FacetPath, FacetPathError> {
        let Some(inside) = text.strip_prefix('/') else {
            return Err(FacetPathError::NoSlash { found: text.chars().take(20).collect() });
        };
        let inside = inside.strip_suffix('/').unwrap_or(inside);
        if inside.is_empty() && text.len() <= 1 {
            return Ok(FacetPath::default());
        }
        let levels = inside.split('/').count();
        if levels > LEVELS_MAX {
            return Err(FacetPathError::TooDeep { expected: LEVELS_MAX, found: levels });
        }
        if let Some(empty) = inside.split('/').position(str::is_empty) {
            return Err(FacetPathError::NoName { level: empty + 1 });
        }
        Ok(FacetPath { names: inside.split('/').map(str::to_owned).collect() })
    }

    /// The names from the top; empty for `/`.
    pub fn names(&self) -> &[String] {
        &self.names
    }
}

impl fmt::Display for FacetPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.names.is_empty() {
            return f.write_str("/");
        }
        self.names.iter().try_for_each(|name| write!(f, "/{name}"))
    }
}
