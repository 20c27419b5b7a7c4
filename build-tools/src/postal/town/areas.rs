//! The list in a town's parentheses: the koaza that it names, and whether it means the rest (その他); in Kyoto, addresses
//! by street.
//!
//! Items are separated by 、, ・ or 及び. A note in 「…」 or 〔…〕 that restricts an item by numbers, or makes an exception to
//! it, is dropped; a note that names a place gives a koaza of its own after the item's (渡戸沢「筍沢温泉」: 渡戸沢, 筍沢温泉). Items
//! may be abbreviated: `１、２丁目` means 1丁目 and 2丁目; in `青井谷１、２丁目` both have 青井谷, in `第１、２` both 第, in `白滝Ｂ・Ｃ` both 白滝.
//!
//! A street address ends with a direction from a crossing: 上る, 下る, 東入, 西入, possibly followed by more (上の下立売通御前西入２丁目).
//! One direction makes the whole list a list of streets, since some items have none (三条通白川橋東４丁目).

use super::head::{Outline, bracket_end, split_outside};
use super::lot::{NumberedName, RANGE, expand_range, leading_digits, without_lot};

/// Counters that make a number a name of its own; numbers with smaller units are lots.
const COUNTERS: [&str; 6] = ["丁目", "丁", "地割", "区", "線", "条"];

/// The word for everything that no other row of the town names.
const REST: &str = "その他";

const SEPARATORS: [&str; 3] = ["、", "・", "及び"];

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Areas {
    /// Koaza in the list's order, each once.
    pub(super) names: Vec<String>,
    /// Whether an item is その他 itself: the row is for the town without koaza.
    pub(super) has_rest: bool,
}

pub(super) fn parse_areas(list: &str) -> Areas {
    let mut found = Areas::default();
    // 「、」 binds less than を除く: 「１１０－２、１１０－７番地を除く」 excludes both.
    if list.ends_with("を除く") {
        return found;
    }
    let outlines: Vec<Outline<'_>> = split_outside(list, &SEPARATORS)
        .into_iter()
        .flat_map(split_after_note)
        .map(Outline::parse)
        .collect();
    let texts = expand_abbreviations(&outlines);
    for (outline, text) in outlines.iter().zip(&texts) {
        if text == REST {
            found.has_rest = true;
            continue;
        }
        found.add(item_names(text));
        for note in outline.inside.iter().filter(|note| !note.ends_with("を除く")) {
            for item in split_outside(note, &SEPARATORS) {
                found.add(item_names(&Outline::parse(item).outside));
            }
        }
    }
    found
}

impl Areas {
    fn add(&mut self, names: Vec<String>) {
        for name in names {
            if !name.is_empty() && !self.names.contains(&name) {
                self.names.push(name);
            }
        }
    }
}

/// Splits an item after its note if the 、 is missing (中一里山「９番地の４」念仏堂).
fn split_after_note(item: &str) -> Vec<&str> {
    let mut items = Vec::new();
    let mut rest = item;
    while let Some(end) = bracket_end(rest) {
        let after = &rest[end..];
        if after.is_empty() || after.starts_with([RANGE, '以', 'を']) {
            break;
        }
        items.push(&rest[..end]);
        rest = after;
    }
    items.push(rest);
    items
}

/// The names of one item without its notes; empty for a number, an exception or a word without content.
fn item_names(text: &str) -> Vec<String> {
    if text == REST || text.ends_with("を除く") {
        return Vec::new();
    }
    let text = text.strip_suffix("を含む").unwrap_or(text);
    // 国見その他: the rest of 国見, for which 国見 is precise enough.
    let text = text.strip_suffix(REST).unwrap_or(text);
    expand_range(without_lot(text))
}

/// The items without their notes, with omitted parts restored.
fn expand_abbreviations(outlines: &[Outline<'_>]) -> Vec<String> {
    let mut texts: Vec<String> = outlines.iter().map(|outline| outline.outside.clone()).collect();
    for next in (1..texts.len()).rev() {
        let Some(counter) = leading_counter(&texts[next]) else { continue };
        if ends_in_bare_number(&texts[next - 1]) {
            texts[next - 1].push_str(counter);
        }
    }
    for index in 1..texts.len() {
        if let Some(prefix) = inherited_prefix(&texts[index - 1], &texts[index]) {
            texts[index] = format!("{prefix}{}", texts[index]);
        }
    }
    texts
}

/// The counter of a number or range, possibly followed by a lot: 丁目 in `２丁目`, `４丁目３～９番`.
fn leading_counter(text: &str) -> Option<&'static str> {
    let rest = &text[leading_digits(text)..];
    if rest.len() == text.len() {
        return None;
    }
    let rest = rest.strip_prefix(RANGE).map_or(rest, |after| &after[leading_digits(after)..]);
    COUNTERS.into_iter().find(|counter| rest.starts_with(counter))
}

/// Whether the next item's counter also applies to this one: `１`, `３５～３８`, `青井谷１`; not `３丁目５`, a lot.
fn ends_in_bare_number(text: &str) -> bool {
    let Some(last) = NumberedName::parse(text) else { return false };
    let before = last.before.strip_suffix(RANGE).unwrap_or(last.before);
    let name = before.trim_end_matches(super::lot::is_digit);
    let is_plain = !name.contains(super::lot::is_digit) && !name.ends_with('第');
    last.after.is_empty() && is_plain
}

/// The part of `previous` that `item` inherits.
fn inherited_prefix<'a>(previous: &'a str, item: &str) -> Option<&'a str> {
    let before = NumberedName::parse(previous);
    let own = NumberedName::parse(item);
    if let (Some(before), Some(own)) = (before, own)
        && own.before.is_empty()
    {
        // 第１、２ and 青井谷１丁目、２丁目; a counter that belongs to a name is not repeated.
        let is_ordinal = before.before == "第" && before.after.is_empty() && own.after.is_empty();
        let has_same_counter = before.after == own.after && COUNTERS.contains(&own.after);
        let has_name = !before.before.is_empty()
            && !before.before.contains(RANGE)
            && !before.before.contains(super::lot::is_digit);
        if is_ordinal || (has_same_counter && has_name) {
            return Some(before.before);
        }
    }
    let (shared, last) = last_char(previous)?;
    let (before_own, own) = last_char(item)?;
    // 白滝Ｂ・Ｃ, and ３丁目東・西・南.
    let are_letters = is_letter(last) && is_letter(own) && !shared.ends_with(is_letter);
    let are_sides = is_side(last) && is_side(own) && shared.ends_with("丁目");
    (before_own.is_empty() && !shared.is_empty() && (are_letters || are_sides)).then_some(shared)
}

fn is_letter(c: char) -> bool {
    ('Ａ'..='Ｚ').contains(&c)
}

fn is_side(c: char) -> bool {
    "東西南北".contains(c)
}

fn last_char(text: &str) -> Option<(&str, char)> {
    let (start, last) = text.char_indices().next_back()?;
    Some((&text[..start], last))
}

const DIRECTIONS: [&str; 4] = ["上る", "下る", "東入", "西入"];

/// The street addresses of `list`, each in full; `None` if the list has no direction. An item with only a direction
/// continues the one before.
pub(super) fn parse_streets(list: &str) -> Option<Vec<String>> {
    if !DIRECTIONS.iter().any(|direction| list.contains(direction)) {
        return None;
    }
    let mut streets: Vec<String> = Vec::new();
    for item in split_outside(list, &["、", "・"]) {
        let is_abbreviated = DIRECTIONS.iter().any(|direction| item.starts_with(direction));
        let street = match streets.last().and_then(|previous| crossing(previous)) {
            Some(crossing) if is_abbreviated => format!("{crossing}{item}"),
            _ => item.to_owned(),
        };
        if !street.is_empty() && !streets.contains(&street) {
            streets.push(street);
        }
    }
    Some(streets)
}

/// The part of a street address before its direction.
fn crossing(street: &str) -> Option<&str> {
    let end = DIRECTIONS.iter().filter_map(|direction| street.find(direction)).min()?;
    Some(&street[..end])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(list: &str, expected: &[&str]) {
        let found = parse_areas(list);
        assert_eq!(found.names, expected, "{list}");
        assert!(!found.has_rest, "{list}");
    }

    #[test]
    fn names_and_chome_are_listed() {
        check("月見野", &["月見野"]);
        check(
            "油駒、南東洋、１３２～１５６、１５８～３５４、３６６、３６７番地",
            &["油駒", "南東洋"],
        );
        check("１丁目", &["１丁目"]);
        check("１、２丁目", &["１丁目", "２丁目"]);
        check("３～５、７丁目", &["３丁目", "４丁目", "５丁目", "７丁目"]);
        check("３５～３６、４１、４２丁目", &["３５丁目", "３６丁目", "４１丁目", "４２丁目"]);
        check("１、２丁目、３丁目１番～２８２番", &["１丁目", "２丁目", "３丁目"]);
        check("３丁目、４丁目３～９番", &["３丁目", "４丁目"]);
        check("３丁目１８・２１番", &["３丁目"]);
        check("２丁目１番１～２３号、２番", &["２丁目"]);
        check("４丁目１～２番・１０～２７番、５丁目", &["４丁目", "５丁目"]);
        check("２丁目６５１、６６２、６６８番地、３丁目１０３、１１８番地", &["２丁目", "３丁目"]);
        check("３丁目本通り", &["３丁目本通り"]);
        check("１丁目東", &["１丁目東"]);
        check("１丁", &["１丁"]);
        check("１～２丁目、白滝Ｂ・Ｃ、高見", &["１丁目", "２丁目", "白滝Ｂ", "白滝Ｃ", "高見"]);
        check("青井谷１、２丁目", &["青井谷１丁目", "青井谷２丁目"]);
        check("第１、２", &["第１", "第２"]);
        check("猪位金４～６区、清美町", &["猪位金４区", "猪位金５区", "猪位金６区", "清美町"]);
        check("西５～６線７９～１１０番地", &["西５線", "西６線"]);
        check("１～２線", &["１線", "２線"]);
        check("１条～２条", &["１条", "２条"]);
        check("第９地割～第１０地割", &["第９地割", "第１０地割"]);
        check("本幸、北１３号沢", &["本幸", "北１３号沢"]);
        check("３丁目東・西・南", &["３丁目東", "３丁目西", "３丁目南"]);
        check("北、中", &["北", "中"]);
        check("協和、南", &["協和", "南"]);
        check("１～３組", &["１組", "２組", "３組"]);
        check("第１号", &["第１号"]);
        check("北原、北原", &["北原"]);
    }

    #[test]
    fn lots_and_words_without_a_name_are_dropped() {
        for list in [
            "１７番地",
            "４００、４００－２番地",
            "１、２、３",
            "大字、番地",
            "全域",
            "無番地",
            "番地のみ",
            "丁目",
            "乙を除く",
            "無番地を除く",
            "次のビルを除く",
            "各町",
            "１１０－２、１１０－７、１１０－１０番地を除く",
            "１３、１４番地、１０番地の２、５",
            "１の２、３の２～６、４の２・４・６、１１の１番地",
            "４５０番地以下",
            "",
        ] {
            check(list, &[]);
        }
        check("下川原１９０－１", &["下川原"]);
        check("新田１７－２、３７番地、東火行１番地", &["新田", "東火行"]);
        check("稲崎平３０２番地・３１５番地、トクサ沢", &["稲崎平", "トクサ沢"]);
        check("１７００番地～、内川内", &["内川内"]);
        check("１０４７～１２６８及び下平", &["下平"]);
        check("８９７番地及び中島５０５～５１８番地", &["中島"]);
        check("葛籠川、轟崎を含む", &["葛籠川", "轟崎"]);
        check("国見その他", &["国見"]);
        check("本町１～３", &["本町"]);
        check("御料牧場・成田国際空港内", &["御料牧場", "成田国際空港内"]);
        check("南原無番地、仙台空港関係施設", &["南原", "仙台空港関係施設"]);
        check("○○屋敷", &["○○屋敷"]);
    }

    #[test]
    fn names_are_read_inside_and_around_notes() {
        check(
            "第２地割「７０～１３６」～第４地割「３～１１」",
            &["第２地割", "第３地割", "第４地割"],
        );
        check(
            "第４０地割「５７番地１２５、１７６を除く」～第４１地割",
            &["第４０地割", "第４１地割"],
        );
        check(
            "１丁目、２丁目「６５１、６６２、６６８番地」以外、３丁目５、１３－４、２０、６８７番地",
            &["１丁目", "２丁目", "３丁目"],
        );
        check("今熊「２１３～２３４、１５０４を除く」、大原", &["今熊", "大原"]);
        check("中一里山「９番地の４、１２番地」、念仏堂", &["中一里山", "念仏堂"]);
        check(
            "１～５００「２１１番地を除く」「古町」、２５２７～２５２９「土遠」",
            &["古町", "土遠"],
        );
        check("４３０番地以上「１７７０－１～２、１９２３－５を除く」、大谷地", &["大谷地"]);
        check(
            "大上谷、中一里山「９番地の４、１２番地を除く」長尾山、再度公園",
            &["大上谷", "中一里山", "長尾山", "再度公園"],
        );
        check("渡戸沢「筍沢温泉」", &["渡戸沢", "筍沢温泉"]);
        check("３丁目１１番５～８号「多の津団地」", &["３丁目", "多の津団地"]);
        check("３１５３－１～３１５３－１１００「峰の原高原」", &["峰の原高原"]);
        check("長尾山「その他」", &["長尾山"]);
        check(
            "前川原２３２～２４４、３１１、３３７～８６２番地〔発電所構内〕",
            &["前川原", "発電所構内"],
        );
    }

    #[test]
    fn the_word_for_the_rest_is_recognised() {
        assert_eq!(parse_areas("その他"), Areas { names: vec![], has_rest: true });
        assert_eq!(
            parse_areas("北原、その他"),
            Areas { names: vec!["北原".to_owned()], has_rest: true }
        );
    }
}

#[cfg(test)]
mod streets_tests {
    use super::*;

    #[test]
    fn each_item_is_one_address() {
        #[track_caller]
        fn check(list: &str, expected: Option<&[&str]>) {
            let found = parse_streets(list);
            let expected = expected.map(|e| e.iter().map(|s| (*s).to_owned()).collect::<Vec<_>>());
            assert_eq!(found, expected, "{list}");
        }
        check(
            "上長者町通堀川東入、東堀川通上長者町上る、東堀川通中立売通下る",
            Some(&["上長者町通堀川東入", "東堀川通上長者町上る", "東堀川通中立売通下る"]),
        );
        check(
            "三条通白川橋東入４丁目、三条通白川橋東４丁目",
            Some(&["三条通白川橋東入４丁目", "三条通白川橋東４丁目"]),
        );
        check("元誓願寺通浄福寺西入", Some(&["元誓願寺通浄福寺西入"]));
        // The known files do not abbreviate; other publishers of the same names do.
        check("烏丸通今出川上る、下る", Some(&["烏丸通今出川上る", "烏丸通今出川下る"]));
        check("出水通猪熊東入・西入２丁目", Some(&["出水通猪熊東入", "出水通猪熊西入２丁目"]));
        check("下る", Some(&["下る"]));
        check("１～３丁目", None);
        check("その他", None);
        check("", None);
    }
}
