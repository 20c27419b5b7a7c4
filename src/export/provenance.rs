//! From which data an export is: kept in files whose format has a place for it, and named in the summary.

use crate::dataset::publication::Publication;
use crate::json::write_list;
use crate::text::codes::DataVersion;

#[derive(Debug, Clone)]
pub struct Provenance {
    pub dataset: &'static str,
    pub version: DataVersion,
    pub publications: Vec<&'static Publication>,
}

impl Provenance {
    /// The credit lines, each once, separated by semicolons.
    pub fn credits(&self) -> String {
        let mut lines: Vec<&str> = Vec::new();
        for publication in &self.publications {
            if !lines.contains(&publication.credit) {
                lines.push(publication.credit);
            }
        }
        lines.join("; ")
    }

    /// Keys and values for a file that can keep them: `daicho.sources` is a JSON array.
    pub fn metadata(&self) -> [(&'static str, String); 3] {
        [
            ("daicho.dataset", self.dataset.to_owned()),
            ("daicho.version", self.version.to_string()),
            ("daicho.sources", self.publications_json()),
        ]
    }

    fn publications_json(&self) -> String {
        let mut out = Vec::new();
        write_list(&mut out, self.publications.iter(), |out, publication| {
            publication.write(out, Some(self.version));
        });
        String::from_utf8(out).expect("made of texts")
    }
}
