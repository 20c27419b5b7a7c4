//! The zip of a workbook: where it comes from, and which part of it is a sheet.

use std::fs::File;
use std::io::{self, BufReader, Cursor, Read, Seek};
use std::path::PathBuf;
use std::sync::Arc;

use zip::ZipArchive;

use super::xml::{Piece, Tag, XmlReader, invalid};

/// A workbook that can be opened several times: by its path, or in memory.
#[derive(Debug, Clone)]
pub enum WorkbookSource {
    File(PathBuf),
    Memory(Arc<[u8]>),
}

pub trait ReadSeek: Read + Seek + Send {}
impl<R: Read + Seek + Send> ReadSeek for R {}

impl WorkbookSource {
    pub fn open(&self) -> io::Result<Box<dyn ReadSeek>> {
        Ok(match self {
            WorkbookSource::File(path) => Box::new(BufReader::new(File::open(path)?)),
            WorkbookSource::Memory(bytes) => Box::new(Cursor::new(Arc::clone(bytes))),
        })
    }

    pub fn archive(&self) -> io::Result<ZipArchive<Box<dyn ReadSeek>>> {
        Ok(ZipArchive::new(self.open()?)?)
    }
}

/// The name of the part that is the sheet with this name; `Err` also for a workbook with parts that an .xlsx must not
/// have.
pub fn sheet_part<R: Read + Seek>(archive: &mut ZipArchive<R>, sheet: &str) -> io::Result<String> {
    let mut workbook = None;
    for_each_tag(archive, "_rels/.rels", |tag| {
        if tag.begins("Relationship")
            && tag.attribute("Type").is_some_and(|it| it.ends_with(b"/officeDocument"))
        {
            workbook = tag.text_attribute("Target");
        }
    })?;
    let workbook = resolved("", &workbook.ok_or_else(|| invalid("no workbook in the zip"))?);
    check_content_type(archive, &workbook)?;
    let mut id = None;
    for_each_tag(archive, &workbook, |tag| {
        if tag.begins("sheet") && tag.text_attribute("name").as_deref() == Some(sheet) {
            let is_id = |name: &[u8]| name.ends_with(b":id");
            let found = tag.attributes().find(|it| is_id(it.name));
            id = found.map(|it| String::from_utf8_lossy(it.value).into_owned());
        }
    })?;
    let id = id.ok_or_else(|| invalid("no such sheet in the workbook"))?;
    let (folder, file) = workbook.rsplit_once('/').unwrap_or(("", &workbook));
    let relations = resolved(folder, &format!("_rels/{file}.rels"));
    let mut target = None;
    for_each_tag(archive, &relations, |tag| {
        if tag.begins("Relationship") && tag.text_attribute("Id").as_deref() == Some(&id) {
            target = tag.text_attribute("Target");
        }
    })?;
    let target = target.ok_or_else(|| invalid("no part for the sheet"))?;
    member_name(archive, &resolved(folder, &target))
}

/// Excel refuses an .xlsx whose workbook is one with macros, or a template.
fn check_content_type<R: Read + Seek>(
    archive: &mut ZipArchive<R>,
    workbook: &str,
) -> io::Result<()> {
    let mut kind = None;
    for_each_tag(archive, "[Content_Types].xml", |tag| {
        let part = tag.text_attribute("PartName");
        if tag.begins("Override")
            && part.is_some_and(|part| part.trim_start_matches('/').eq_ignore_ascii_case(workbook))
        {
            kind = tag.text_attribute("ContentType");
        }
    })?;
    match kind.unwrap_or_default().to_ascii_lowercase() {
        kind if kind.contains("macroenabled") => {
            Err(invalid("macros, which an .xlsx must not have"))
        }
        kind if kind.contains("template") => Err(invalid("a template")),
        _ => Ok(()),
    }
}

fn for_each_tag<R: Read + Seek>(
    archive: &mut ZipArchive<R>,
    part: &str,
    mut visit: impl FnMut(Tag<'_>),
) -> io::Result<()> {
    let name = member_name(archive, part)?;
    let mut reader = XmlReader::new(archive.by_name(&name)?);
    while let Some(piece) = reader.next()? {
        if let Piece::Tag(tag) = piece {
            visit(tag);
        }
    }
    Ok(())
}

/// The name in the zip for a part: some programs differ in the case of letters, or write backslashes.
fn member_name<R: Read + Seek>(archive: &ZipArchive<R>, part: &str) -> io::Result<String> {
    if archive.index_for_name(part).is_some() {
        return Ok(part.to_owned());
    }
    let same = |name: &str| name.replace('\\', "/").eq_ignore_ascii_case(part);
    let names = archive.file_names().filter_map(Result::ok);
    let mut found = names.filter(|name| same(name.as_ref())).map(|name| name.into_owned());
    found.next().ok_or_else(|| invalid(&format!("no part {part} in the zip")))
}

/// A target of a relation: relative to the folder, or absolute.
fn resolved(folder: &str, target: &str) -> String {
    let base = if target.starts_with('/') { "" } else { folder };
    let mut parts: Vec<&str> = base.split('/').filter(|part| !part.is_empty()).collect();
    for part in target.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop();
            }
            part => parts.push(part),
        }
    }
    parts.join("/")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn targets_are_resolved() {
        for (folder, target, expected) in [
            ("", "xl/workbook.xml", "xl/workbook.xml"),
            ("", "/xl/workbook.xml", "xl/workbook.xml"),
            ("xl", "worksheets/sheet1.xml", "xl/worksheets/sheet1.xml"),
            ("xl", "/xl/worksheets/sheet1.xml", "xl/worksheets/sheet1.xml"),
            ("xl/a", "../worksheets/./sheet1.xml", "xl/worksheets/sheet1.xml"),
            ("", "../../a.xml", "a.xml"),
        ] {
            assert_eq!(resolved(folder, target), expected, "{folder} {target}");
        }
    }
}
