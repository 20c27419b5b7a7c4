//! Source files in a local folder, under their official names: `--from DIR`.

use std::fs;
use std::path::{Path, PathBuf};

use super::error::UpdateError;
use super::file_spec::ExpectedName;
use crate::text::codes::DataVersion;

#[derive(Debug, Clone)]
pub struct LocalFolder {
    pub path: PathBuf,
    /// Sorted.
    pub names: Vec<String>,
}

impl LocalFolder {
    pub fn open(path: &Path) -> Result<LocalFolder, UpdateError> {
        let failed = |cause| UpdateError::io(path, cause);
        let mut names = Vec::new();
        for entry in fs::read_dir(path).map_err(failed)? {
            let entry = entry.map_err(failed)?;
            if let Ok(name) = entry.file_name().into_string()
                && entry.path().is_file()
            {
                names.push(name);
            }
        }
        names.sort();
        Ok(LocalFolder { path: path.to_owned(), names })
    }

    pub fn newest_date(
        &self,
        date_of: impl Fn(&str) -> Option<DataVersion>,
        example: &str,
    ) -> Result<DataVersion, UpdateError> {
        let newest = self.names.iter().filter_map(|name| date_of(name)).max();
        newest.ok_or_else(|| self.missing(format!("a file such as {example}")))
    }

    pub fn missing(&self, expected: impl Into<String>) -> UpdateError {
        UpdateError::MissingFile {
            path: self.path.clone(),
            expected: expected.into(),
            found: format!("{} files with other names", self.names.len()),
            remedy: "download it from the official site and put it there under that name",
        }
    }

    /// The file with this name; of several parts the last in order.
    pub fn find(&self, name: &ExpectedName) -> Result<PathBuf, UpdateError> {
        let found = self.names.iter().rev().find(|found| name.fits(found));
        let found = found.map(|found| self.path.join(found));
        found.ok_or_else(|| self.missing(format!("a file {name}")))
    }

    /// The content of the file with exactly this name.
    pub fn read(&self, name: &str) -> Result<Vec<u8>, UpdateError> {
        let path = self.find(&ExpectedName::Exact(name.to_owned()))?;
        fs::read(&path).map_err(|cause| UpdateError::io(&path, cause))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_found_by_their_official_names() {
        let folder = tempfile::tempdir().expect("a folder");
        for name in ["UTF_KEN_ALL.ZIP", "h_all_20260731_csv_001.zip", "h_all_20260731_csv_002.zip"]
        {
            fs::write(folder.path().join(name), "").expect("written");
        }
        let found = LocalFolder::open(folder.path()).expect("there");
        let area = found.find(&ExpectedName::Exact("utf_ken_all.zip".to_owned())).expect("there");
        assert_eq!(area, folder.path().join("UTF_KEN_ALL.ZIP"));
        let part = found.find(&ExpectedName::Part("h_all_20260731_csv".to_owned()));
        assert!(part.expect("there").ends_with("h_all_20260731_csv_002.zip"));
        let message =
            found.find(&ExpectedName::Exact("jigyosyo.zip".to_owned())).expect_err("none");
        assert!(message.to_string().contains("expected a file jigyosyo.zip"), "{message}");
        assert!(message.is_not_found());
        assert!(LocalFolder::open(&folder.path().join("none")).is_err());
    }
}
