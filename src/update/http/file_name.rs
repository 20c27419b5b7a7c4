//! The file name in the header `Content-Disposition`.

/// Parses the header: `filename*` first, with any language tag, then `filename`. Removes folders.
pub fn parse(disposition: &str) -> Option<String> {
    let parameters = || disposition.split(';').skip(1).filter_map(|part| part.split_once('='));
    let value_of = |wanted: &str| {
        parameters()
            .find(|(name, _)| name.trim().eq_ignore_ascii_case(wanted))
            .map(|(_, value)| value.trim())
    };
    let extended = value_of("filename*").and_then(|value| {
        let value = value.trim_matches('"');
        // The charset, the language tag and the name: the tax agency's tag is `jp`.
        let name = value.splitn(3, '\'').nth(2).unwrap_or(value);
        percent_encoding::percent_decode_str(name).decode_utf8().ok().map(|name| name.into_owned())
    });
    let name = extended
        .or_else(|| value_of("filename").map(|value| value.trim_matches('"').to_owned()))?;
    let last = name.rsplit(['/', '\\']).next().unwrap_or_default().to_owned();
    (!last.is_empty()).then_some(last)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn file_names_are_read_with_any_language_tag() {
        for (header, expected) in [
            (
                "attachment; filename*=utf-8'jp'00_zenkoku_all_20260731.zip",
                Some("00_zenkoku_all_20260731.zip"),
            ),
            ("attachment; filename*=UTF-8''diff%5F20260821.zip", Some("diff_20260821.zip")),
            (
                "attachment; filename=\"h_all_20260831_csv_001.zip\"",
                Some("h_all_20260831_csv_001.zip"),
            ),
            ("attachment; filename=a.zip; filename*=utf-8''b.zip", Some("b.zip")),
            ("attachment;FileName = a.zip ", Some("a.zip")),
            ("attachment; filename=\"../../etc/passwd\"", Some("passwd")),
            ("attachment; filename=\"C:\\a.zip\"", Some("a.zip")),
            ("attachment; filename*=utf-8''%ff", None),
            ("attachment; filename=\"\"", None),
            ("attachment", None),
            ("", None),
        ] {
            assert_eq!(parse(header).as_deref(), expected, "{header}");
        }
    }
}
