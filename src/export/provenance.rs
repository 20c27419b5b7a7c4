//! From which data an export is: kept in files whose format has a place for it, and named in the summary.

use std::sync::Arc;

use crate::dataset::correction::Correction;
use crate::dataset::publication::Publication;
use crate::json::write_list;
use crate::text::codes::DataVersion;

#[derive(Debug, Clone)]
pub struct Provenance {
    pub dataset: &'static str,
    pub version: DataVersion,
    pub publications: Vec<&'static Publication>,
    /// The operator's corrections that changed the records.
    pub corrections: Vec<Arc<Correction>>,
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

    /// Keys and values for a file that can keep them: `daicho.sources` is a JSON array, and so is `daicho.corrections`,
    /// which only corrected data have.
    pub fn metadata(&self) -> Vec<(&'static str, String)> {
        let mut metadata = vec![
            ("daicho.dataset", self.dataset.to_owned()),
            ("daicho.version", self.version.to_string()),
            ("daicho.sources", self.publications_json()),
        ];
        if !self.corrections.is_empty() {
            let mut out = Vec::new();
            write_list(&mut out, self.corrections.iter(), |out, row| row.write(out));
            let json = String::from_utf8(out).expect("made of texts");
            metadata.push(("daicho.corrections", json));
        }
        metadata
    }

    fn publications_json(&self) -> String {
        let mut out = Vec::new();
        write_list(&mut out, self.publications.iter(), |out, publication| {
            publication.write(out, Some(self.version));
        });
        String::from_utf8(out).expect("made of texts")
    }
}
