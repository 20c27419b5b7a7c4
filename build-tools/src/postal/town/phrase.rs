//! Town columns that are sentences about the municipality and name no town.

/// A town column that is a sentence: the town that remains, usually none, with its reading.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Phrase<'a> {
    pub(super) town: &'a str,
    pub(super) town_kana: &'a str,
}

impl<'a> Phrase<'a> {
    const WHOLE: Phrase<'static> = Phrase { town: "", town_kana: "" };

    /// Recognises a sentence; `name` and `kana` are the columns without parentheses.
    ///
    /// The name in it is the municipality's in all rows but one: 西海市 大島町の次に番地がくる場合 refers to a former town that
    /// every address there still has, so that name stays the town. After any other name than the municipality's, or
    /// alone (多賀町 一円), 一円 is part of a name.
    pub(super) fn parse(city: &str, name: &'a str, kana: &'a str) -> Option<Phrase<'a>> {
        if name == "以下に掲載がない場合" {
            return Some(Phrase::WHOLE);
        }
        if let Some((place, condition)) = name.split_once("の次に")
            && condition.ends_with("がくる場合")
            && condition.contains("番地")
        {
            if city.ends_with(place) {
                return Some(Phrase::WHOLE);
            }
            let town_kana = kana.split_once("ノツギニ").map_or(kana, |(before, _)| before);
            return Some(Phrase { town: place, town_kana });
        }
        let place = name.strip_suffix("一円").filter(|place| !place.is_empty())?;
        city.ends_with(place).then_some(Phrase::WHOLE)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sentences_are_distinguished_from_names() {
        #[track_caller]
        fn check(city: &str, name: &str, kana: &str, expected: Option<(&str, &str)>) {
            let found = Phrase::parse(city, name, kana).map(|p| (p.town, p.town_kana));
            assert_eq!(found, expected, "{city} {name}");
        }
        let whole = Some(("", ""));
        check("札幌市中央区", "以下に掲載がない場合", "イカニケイサイガナイバアイ", whole);
        check(
            "猿島郡境町",
            "境町の次に番地がくる場合",
            "サカイマチノツギニバンチガクルバアイ",
            whole,
        );
        check(
            "北都留郡小菅村",
            "小菅村の次に１～６６３番地がくる場合",
            "コスゲムラノツギニ",
            whole,
        );
        check(
            "北都留郡小菅村",
            "小菅村の次に６６４番地以降がくる場合",
            "コスゲムラノツギニ",
            whole,
        );
        check(
            "仲多度郡琴平町",
            "琴平町の次に４２７番地以降がくる場合",
            "コトヒラチョウノツギニ",
            whole,
        );
        check(
            "西海市",
            "大島町の次に番地がくる場合",
            "オオシマチョウノツギニバンチガクルバアイ",
            Some(("大島町", "オオシマチョウ")),
        );
        check("利島村", "利島村一円", "トシマムライチエン", whole);
        check("岩船郡粟島浦村", "粟島浦村一円", "アワシマウラムライチエン", whole);
        check("犬上郡多賀町", "一円", "イチエン", None);
        check("犬上郡多賀町", "甲一円", "コウイチエン", None);
        check("千代田区", "大手町", "オオテマチ", None);
        check("千代田区", "", "", None);
    }
}
