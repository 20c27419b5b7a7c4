//! Text that belongs to no part of an address: telephone and fax numbers, e-mail addresses, road numbers, 様 and 御中,
//! the address of before in brackets.
//!
//! Such text is cut out before the rest is read, and stays as unplaced text. Each rule needs a form that no name has: a
//! telephone number needs its word or a zero in front, a road its number with 号. Works on folded characters; does not
//! know names.

use std::ops::Range;

use super::tail::{Text, is_common_kanji as is_kanji, is_digit, is_sign};
use crate::text::fold::Folded;
use crate::text::kana::is_katakana;
use crate::text::numerals::is_hyphen;

/// Words before a telephone or fax number, folded; longer ones first.
#[rustfmt::skip] // Several words a line.
const CONTACT_WORDS: &[&str] = &[
    "電話番号", "電話", "携帯電話", "携帯", "tel/fax", "telephone", "tel", "fax", "phone", "フアツクス",
    "フアクス", "☎", "☏", "📞", "℡",
];
/// Words before an e-mail address.
const MAIL_WORDS: &[&str] = &["e-mail", "email", "mail", "メールアドレス", "メール"];
/// Kinds of roads that have numbers.
#[rustfmt::skip] // Several words a line.
const ROADS: &[&str] = &[
    "主要地方道", "国道", "県道", "府道", "都道", "道道", "市道", "町道", "村道",
];
/// Words behind 旧 that announce the address of before.
#[rustfmt::skip] // Several words a line.
const OLD_ADDRESS_WORDS: &[&str] = &[
    ":", "住所", "住居表示", "所在地", "地番", "番地", "町名", "地名", "表示",
];
/// Fewest digits of a number after its word, without a word, and most digits.
const DIGITS_AFTER_WORD: usize = 5;
const DIGITS_MIN: usize = 10;
const DIGITS_MAX: usize = 15;
/// Longest part of a person's name that stands apart from its 様.
const NAME_PART_MAX: usize = 4;

/// Shortest name in Roman letters between two names.
const REPETITION_MIN: usize = 4;

/// Appends the ranges of such text, in order, as positions of folded characters.
pub fn find(folded: &[Folded], out: &mut Vec<Range<usize>>) {
    let text = Text(folded);
    let first_digit = text.skip(0, |letter| !letter.is_ascii_digit());
    let mut position = 0;
    while position < folded.len() {
        let between = if position < first_digit { text.between_names(position) } else { None };
        match between.or_else(|| text.decoration(position)) {
            Some(range) => {
                position = range.end;
                let from = out.last().map_or(0, |last| last.end);
                out.push(range.start.max(from)..range.end);
            }
            None => position += 1,
        }
    }
}

/// What people write behind the Roman name of an area.
const AREA_ENDINGS: [&str; 8] = ["-shi", "-ku", "-machi", "-cho", "-mura", "-son", "-ken", "-fu"];

/// The Roman names behind an area that repeat it, in order: 吹田市山田丘1-1 (Suita). `is_area` gets each word in small
/// letters, and whether it stands in brackets.
pub fn roman_repetitions(
    folded: &[Folded],
    start: usize,
    is_area: impl Fn(&str, bool) -> bool,
) -> Vec<Range<usize>> {
    let text = Text(folded);
    let in_word = |letter: char| letter.is_ascii_alphabetic() || letter == '-';
    let mut found = Vec::new();
    let mut position = start;
    while position < folded.len() {
        let end = text.skip(position, in_word);
        if end == position || !text.at(position).is_ascii_alphabetic() {
            position += 1;
            continue;
        }
        let word: String = folded[position..end].iter().map(|it| it.character).collect();
        let stem = AREA_ENDINGS.iter().find_map(|ending| word.strip_suffix(ending));
        let whole = text.with_brackets(position, end);
        let in_brackets = whole.len() > end - position;
        // PROGRESS KOBE is the name of a building.
        let before = text.skip_back(position, is_sign);
        let behind_lot =
            is_digit(text.before(before)) || matches!(text.before(before), '号' | '地');
        let behind_name = found.last().is_some_and(|last: &Range<usize>| last.end == before);
        let ends = text.at(end) == ',' || text.skip(end, is_sign) >= folded.len();
        let stands_alone = before < position && (behind_lot || behind_name) && ends;
        let is_apart = in_brackets || stands_alone;
        let mut names = [Some(word.as_str()), stem].into_iter().flatten();
        if is_apart && names.any(|name| is_area(name, in_brackets)) {
            found.push(whole);
        }
        position = end;
    }
    found
}

impl Text<'_> {
    /// The position after the first of these words at a position.
    fn after_word(self, position: usize, words: &[&str]) -> Option<usize> {
        let found = words.iter().find(|word| self.has(position, word));
        found.map(|word| position + word.chars().count())
    }

    /// Whether a word may end before a position.
    fn ends(self, position: usize) -> bool {
        position >= self.0.len() || is_sign(self.at(position))
    }

    fn decoration(self, position: usize) -> Option<Range<usize>> {
        match self.at(position) {
            '@' => self.mail(position),
            'h' | 'w' => self.link(position),
            '0' | '+' => self.bare_number(position),
            '(' => self.old_address(position),
            '様' | '御' => self.address_form(position),
            '主' | '国' | '県' | '府' | '都' | '道' | '市' | '町' | '村' => {
                self.road(position)
            }
            't' | 'f' | 'p' | '電' | '携' | 'フ' | '☎' | '☏' | '📞' | '℡' => {
                self.contact(position)
            }
            _ => None,
        }
    }

    /// What stands between two names of areas and is none: 吹田市(Suita)江坂町, 世田谷区Setagaya太子堂, 中央区(旧新潟市)西堀通.
    fn between_names(self, position: usize) -> Option<Range<usize>> {
        let before = self.before(position);
        let in_word = |letter: char| letter.is_ascii_alphabetic() || letter == '-';
        let (inside, end) = match self.at(position) {
            '(' if self.at(position + 1) == '旧' => {
                let end = self.skip(position, |letter| letter != ')');
                (true, end + 1)
            }
            '(' => {
                let end = self.skip(position + 1, |it| in_word(it) || it.is_whitespace());
                (end > position + 1 && self.at(end) == ')', end + 1)
            }
            first if first.is_ascii_alphabetic() => {
                let end = self.skip(position, in_word);
                (end - position >= REPETITION_MIN, end)
            }
            _ => return None,
        };
        (inside && is_kanji(before) && is_kanji(self.at(end))).then_some(position..end)
    }

    /// The address of before in brackets: 末広町8-1(旧:北大通8), 室町1-1(旧本町1丁目1番地). 旧1号館 and 旧本館3階 are
    /// parts of a building.
    fn old_address(self, position: usize) -> Option<Range<usize>> {
        let begin = position + 2;
        let end = self.skip(begin, |letter| letter != ')');
        if self.at(position + 1) != '旧' || self.at(end) != ')' {
            return None;
        }
        let name_end = self.skip(begin, |letter| !is_digit(letter));
        let names_place = (begin..name_end).filter(|at| is_kanji(self.at(*at))).count() > 1
            && self.at(begin) != '第';
        let is_lot = |letter: char| {
            is_digit(letter)
                || is_hyphen(letter)
                || matches!(letter, '丁' | '目' | '番' | '地' | '号')
        };
        let has_lot = name_end < end && self.skip(name_end, is_lot) == end;
        let is_announced = self.after_word(begin, OLD_ADDRESS_WORDS).is_some();
        (is_announced || names_place && has_lot).then_some(position..end + 1)
    }

    /// A telephone or fax number with its word: TEL 03-1234-5678, (電話22-1234 内線5).
    fn contact(self, position: usize) -> Option<Range<usize>> {
        let word_end = self.after_word(position, CONTACT_WORDS)?;
        let is_word = !self.before(position).is_ascii_alphabetic();
        let separates =
            |sign: char| is_sign(sign) || is_hyphen(sign) || matches!(sign, '(' | ')' | '=');
        let mut start = self.skip(word_end, separates);
        if let Some(second) = self.after_word(start, CONTACT_WORDS) {
            start = self.skip(second, separates);
        }
        let end = self.number_end(start, true).filter(|(_, count)| *count >= DIGITS_AFTER_WORD);
        let (mut end, _) = end.filter(|_| is_word)?;
        let extension = self.skip(end, is_sign);
        if self.has(extension, "内線") {
            let number = self.skip(extension + 2, is_sign);
            end = self.skip(number, is_digit).max(end);
        }
        Some(self.with_brackets(position, end))
    }

    /// A telephone number without a word: 03-1234-5678, 090-1234-5678. No lot begins with a zero.
    fn bare_number(self, position: usize) -> Option<Range<usize>> {
        let before = self.before(position);
        let begins = position == 0 || is_sign(before) && !is_hyphen(before);
        let (end, count) = self.number_end(position, false).filter(|_| begins)?;
        let zero = position + usize::from(self.at(position) == '+');
        let is_local = self.at(zero) == '0' && self.at(zero + 1) != '0';
        let is_number = count >= DIGITS_MIN && (is_local || zero > position) && count <= 12;
        (is_number && self.ends(end)).then(|| self.with_brackets(position, end))
    }

    /// The position after the last digit of a number in groups, and how many digits it has.
    fn number_end(self, start: usize, with_spaces: bool) -> Option<(usize, usize)> {
        let (mut position, mut end, mut count) = (start, start, 0);
        loop {
            let sign = self.at(position);
            if sign.is_ascii_digit() {
                count += 1;
                end = position + 1;
            } else if sign == '+' && position == start {
            } else {
                let joins = is_hyphen(sign) || matches!(sign, '(' | ')' | '.');
                let is_space = with_spaces && sign.is_whitespace();
                if !(joins || is_space) || position > end + 1 {
                    break;
                }
            }
            position += 1;
        }
        (count > 0 && count <= DIGITS_MAX).then_some((end, count))
    }

    /// The range with the brackets directly around it.
    fn with_brackets(self, start: usize, end: usize) -> Range<usize> {
        let closing = self.skip(end, char::is_whitespace);
        if self.before(start) == '(' && self.at(closing) == ')' {
            start - 1..closing + 1
        } else {
            start..end
        }
    }

    fn mail(self, position: usize) -> Option<Range<usize>> {
        let in_address = |letter: char| {
            letter.is_ascii_alphanumeric() || matches!(letter, '.' | '_' | '%' | '+' | '-' | '@')
        };
        let start = self.skip_back(position, in_address);
        let end = self.skip(position, in_address);
        if start == position || end == position + 1 {
            return None;
        }
        let word_end = self.skip_back(start, |sign| is_sign(sign) || sign == ':');
        let word = MAIL_WORDS.iter().find_map(|word| {
            let first = word_end.checked_sub(word.chars().count())?;
            self.has(first, word).then_some(first)
        });
        Some(self.with_brackets(word.unwrap_or(start), end))
    }

    fn link(self, position: usize) -> Option<Range<usize>> {
        self.after_word(position, &["https://", "http://", "www."])?;
        let is_word = !self.before(position).is_ascii_alphanumeric();
        let end = self.skip(position, |letter| letter.is_ascii_graphic() && letter != ')');
        is_word.then_some(position..end)
    }

    /// 御中 and 様 at the end of a word; with 様 the name of the person, but not 様方, which is part of an address.
    fn address_form(self, position: usize) -> Option<Range<usize>> {
        if self.at(position) == '御' {
            let is_form = self.at(position + 1) == '中' && self.ends(position + 2);
            return is_form.then_some(position..position + 2);
        }
        if !self.ends(position + 1) || position == 0 {
            return None;
        }
        let in_name = |letter: char| !is_sign(letter) && !letter.is_ascii_alphanumeric();
        let mut start = self.skip_back(position, in_name);
        let counter = |letter: char| matches!(letter, '号' | '室' | '階' | '番' | '地');
        let counted = (start..position).rev().find(|position| counter(self.at(*position)));
        if let Some(counter) = counted {
            start = counter + 1;
        } else if !self.before(start).is_ascii_digit() && !is_sign(self.before(start)) {
            // 鎌倉ビル山田様: nothing separates the name from the building.
            start = position;
        } else if position - start > 2 * NAME_PART_MAX || self.holds_katakana(start, position) {
            start = position;
        }
        // 山田 太郎 様
        for _ in 0..2 {
            let part_end = self.skip_back(start, char::is_whitespace);
            let part = self.skip_back(part_end, in_name);
            let is_part = part_end < start && (1..=NAME_PART_MAX).contains(&(part_end - part));
            let is_apart = part == 0 || self.before(part).is_whitespace();
            if position - start > 2 * NAME_PART_MAX || !is_part || !is_apart || part == 0 {
                break;
            }
            start = part;
        }
        Some(start..position + 1)
    }

    fn holds_katakana(self, start: usize, end: usize) -> bool {
        (start..end).any(|position| is_katakana(self.at(position)))
    }

    /// A numbered road: 国道18号, 県道291号線沿い.
    fn road(self, position: usize) -> Option<Range<usize>> {
        let word_end = self.after_word(position, ROADS)?;
        let number = word_end + usize::from(self.at(word_end) == '第');
        let digits_end = self.skip(number, is_digit);
        if digits_end == number || self.at(digits_end) != '号' {
            return None;
        }
        let mut end = digits_end + 1;
        for word in ["線", "バイパス", "沿い", "沿"] {
            end = self.after_word(end, &[word]).unwrap_or(end);
        }
        (!matches!(self.at(end), '館' | '棟' | '店' | '室')).then_some(position..end)
    }
}

/// The first date in a text that stands where a lot should: a spreadsheet made 5-10 to 5月10日, 2001/5/10 or 45787.
pub fn date(folded: &[Folded], start: usize) -> Option<Range<usize>> {
    let text = Text(folded);
    let digits = |position: usize| text.skip(position, is_digit);
    let number = |position: usize, end: usize| {
        let values = (position..end).filter_map(|position| text.at(position).to_digit(10));
        values.fold(0_u32, |value, digit| value.saturating_mul(10).saturating_add(digit))
    };
    let mut position = start;
    while position < folded.len() {
        let end = digits(position);
        if end == position {
            position += 1;
            continue;
        }
        let sign = text.at(end);
        let second_end = digits(end + 1);
        let last_end = digits(second_end + 1);
        let has_second = second_end > end + 1;
        if sign == '月' && has_second && text.at(second_end) == '日' && end - position < 3 {
            return Some(position..second_end + 1);
        }
        let is_month = has_second && (1..=12).contains(&number(end + 1, second_end));
        let is_year = end - position == 4 && matches!(text.at(position), '1' | '2');
        let joins = matches!((sign, text.at(second_end)), ('/', '/') | ('年', '月') | ('.', '.'));
        if is_year && is_month && joins && last_end > second_end + 1 {
            return Some(position..last_end + usize::from(text.at(last_end) == '日'));
        }
        let is_serial = position == start && end - position == 5 && text.ends(end);
        if is_serial && (FIRST_SERIAL..=LAST_SERIAL).contains(&number(position, end)) {
            return Some(position..end);
        }
        position = end;
    }
    None
}

/// The days of 1990 and 2050 as numbers of a spreadsheet.
const FIRST_SERIAL: u32 = 32_874;
const LAST_SERIAL: u32 = 55_153;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::fold::{Level, fold};

    #[test]
    fn dates_stand_where_a_lot_should() {
        for (text, expected) in [
            ("5月10日", "5月10日"),
            ("5丁目5月10日", "5月10日"),
            ("2001/2/3", "2001/2/3"),
            ("2001年2月3日 ビル", "2001年2月3日"),
            ("2001.2.3", "2001.2.3"),
            ("45787", "45787"),
            ("45787番地", ""),
            ("12345", ""),
            ("1-45787", ""),
            ("5-10-1", ""),
            ("2丁目1/2", ""),
            ("月日", ""),
        ] {
            let mut folded = Vec::new();
            fold(text, Level::Address, &mut folded);
            let range = date(&folded, 0).map(|range| {
                &text[folded[range.start].start as usize..folded[range.end - 1].end as usize]
            });
            assert_eq!(range.unwrap_or_default(), expected, "{text}");
        }
    }

    #[test]
    fn roman_names_of_the_area_are_found_behind_it() {
        for (text, expected) in [
            ("山田丘1-1 (Suita)", "(Suita)"),
            ("山田丘1-1（SUITA-SHI）", "（SUITA-SHI）"),
            ("山田丘1-1 Suita", "Suita"),
            ("山田丘1-1 Suita, Osaka", "Suita|Osaka"),
            ("太子堂1-1 Setagaya-ku", "Setagaya-ku"),
            ("山田丘1-1 (Yamadaoka)", "(Yamadaoka)"),
            ("山田丘1-1 Yamadaoka", ""),
            ("山田丘1-1 Suitaビル", ""),
            ("山田丘1-1 (Annex)", ""),
            ("山田丘1-1 Suita-Annex", ""),
            ("山田丘1-1Suita", ""),
            ("山田丘1-1 PROGRESS SUITA", ""),
            ("山田丘1-1 Suita Annex", ""),
        ] {
            let mut folded = Vec::new();
            fold(text, Level::Address, &mut folded);
            let is_area = |word: &str, in_brackets: bool| {
                matches!(word, "suita" | "osaka" | "setagaya-ku")
                    || in_brackets && word == "yamadaoka"
            };
            let found = roman_repetitions(&folded, 0, is_area);
            let texts = found.into_iter().map(|range| {
                &text[folded[range.start].start as usize..folded[range.end - 1].end as usize]
            });
            assert_eq!(texts.collect::<Vec<_>>().join("|"), expected, "{text}");
        }
    }

    #[test]
    fn text_of_no_part_is_found() {
        for (text, expected) in [
            ("小町2-15-10 TEL 0467-00-0000", "TEL 0467-00-0000"),
            ("小町2-15-10（電話0467-00-0000）", "（電話0467-00-0000）"),
            ("小町2-15-10☎0467-00-0000", "☎0467-00-0000"),
            ("小町2-15-10 ℡：0467(00)0000 FAX0467-00-0001", "℡：0467(00)0000|FAX0467-00-0001"),
            ("小町2-15-10 TEL/FAX 0467-00-0000", "TEL/FAX 0467-00-0000"),
            ("小町2-15-10 電話番号：22-1234 内線 5", "電話番号：22-1234 内線 5"),
            ("小町2-15-10　090-1234-5678", "090-1234-5678"),
            ("小町2-15-10 09012345678", "09012345678"),
            ("小町2-15-10 +81-3-1234-5678", "+81-3-1234-5678"),
            ("小町2-15-10ＴＥＬ０４６７－００－００００", "ＴＥＬ０４６７－００－００００"),
            ("小町2-15-10 E-mail: x.y@example.com", "E-mail: x.y@example.com"),
            ("小町2-15-10 https://example.com/a", "https://example.com/a"),
            ("小町2-15-10 山田太郎様", "山田太郎様"),
            ("小町2-15-10 山田 太郎 様", "山田 太郎 様"),
            ("小町2-15-10-101号室山田様", "山田様"),
            ("小町2-15-10 山田様方", ""),
            ("小町2-15-10 鎌倉商店御中", "御中"),
            ("軽井沢町国道18号", "国道18号"),
            ("白山市 県道291号線沿い", "県道291号線沿い"),
            ("0600001 札幌市", ""),
            ("060-0001札幌市", ""),
            ("ホテル03", ""),
            ("日本電信電話ビル3F", ""),
            ("山口県道場門前2号", ""),
            ("大阪府吹田市(Suita)江坂町1", "(Suita)"),
            ("世田谷区Setagaya太子堂1-1", "Setagaya"),
            ("新潟市中央区（旧新潟市）西堀通6", "（旧新潟市）"),
            ("港区赤坂1-2ABCD赤坂", ""),
            ("末広町8-1（旧：北大通8）", "（旧：北大通8）"),
            ("末広町8-1(旧住所 北大通8) 3階", "(旧住所 北大通8)"),
            ("室町1-1（旧本町1丁目1番地）", "（旧本町1丁目1番地）"),
            ("室町1-1(旧1号館)", ""),
            ("室町1-1(旧第2号)", ""),
            ("室町1-1(旧本館3階)", ""),
            ("室町1-1(旧館)", ""),
            ("室町1-1(旧", ""),
            ("室町1-1(", ""),
            ("@", ""),
            ("様", ""),
            ("御中", "御中"),
            ("tel", ""),
            ("0", ""),
        ] {
            let (mut folded, mut found) = (Vec::new(), Vec::new());
            fold(text, Level::Address, &mut folded);
            find(&folded, &mut found);
            let cut = found.iter().map(|range| {
                &text[folded[range.start].start as usize..folded[range.end - 1].end as usize]
            });
            assert_eq!(cut.collect::<Vec<&str>>().join("|"), expected, "{text}");
        }
    }
}
