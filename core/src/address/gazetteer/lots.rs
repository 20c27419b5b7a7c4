//! The lots of the rows of a divided town, parsed from the brackets of the raw name: `風師（４丁目）`,
//! `富平（３３１、４５９－４、５４３番地）`, `竹房（４５０番地以下）`.
//!
//! Text that is not understood has no effect: the row then neither contains nor excludes a lot.

use super::{ArchivedLotRange, LotRange};
use crate::text::fold::{Level, folded};

/// In [`LotRange::chome`]: any lot with a chome.
pub const WITH_CHOME: u16 = u16::MAX;
/// In [`LotRange::chome`]: any lot without one.
pub const WITHOUT_CHOME: u16 = u16::MAX - 1;

/// In a town that partly has chome, the first of two numbers is a chome up to this value: few lots have so small a
/// number.
const CHOME_LIKELY: u32 = 9;

/// A lot as one number, so that lots compare by main number, then by branch.
fn packed(main: u32, branch: u32) -> u32 {
    main.min(0xFFFF) << 16 | branch.min(0xFFFF)
}

/// Whether the lots of a row contain this lot; `None` if unknown. `chome`: the first number is certainly a chome.
pub fn contains(ranges: &[ArchivedLotRange], lot: &[u32], chome: bool) -> Option<bool> {
    if ranges.is_empty() || lot.is_empty() {
        return None;
    }
    let within = |range: &ArchivedLotRange| {
        let (first, last) = (range.first.to_native(), range.last.to_native());
        let inside = |numbers: &[u32]| {
            let branch = numbers.get(1).copied().unwrap_or(0);
            let main = numbers.first().copied().unwrap_or(0);
            let lot_key = packed(main, branch);
            // A lot without a branch number is in a range that begins or ends inside it.
            (first..=last).contains(&lot_key) || branch == 0 && first >> 16 == main && main > 0
        };
        let chome = chome || lot.len() >= 3 || lot.len() == 2 && lot[0] <= CHOME_LIKELY;
        match range.chome.to_native() {
            WITH_CHOME => chome,
            WITHOUT_CHOME => !chome,
            0 => inside(lot),
            chome => lot[0] == u32::from(chome) && (last == u32::MAX || inside(&lot[1..])),
        }
    };
    let is_exception = ranges.iter().any(|range| range.is_exception && within(range));
    let mut wanted = ranges.iter().filter(|range| !range.is_exception).peekable();
    let is_wanted = wanted.peek().is_none() || wanted.any(within);
    Some(is_wanted && !is_exception)
}

/// Parses the lots of one row from its raw name. `chome` is the chome of the row's koaza, 0 for none.
pub fn parse(row: u32, raw: &str, chome: u16) -> Vec<LotRange> {
    let Some(inside) = condition(raw) else { return Vec::new() };
    // Folding has already made － and − ASCII.
    let plain: String = folded(inside, Level::Width).replace('‐', "-");
    if plain.contains("その他") {
        return Vec::new();
    }
    let is_exception = plain.ends_with("を除く");
    let mut list = LotList { row, ranges: Vec::new(), chome: 0, main: 0, is_exception };
    list.read(&plain);
    let mut ranges = list.ranges;
    if chome > 0 {
        ranges.retain(|range| range.chome == chome);
        let whole = |range: &LotRange| (range.first, range.last) == (0, u32::MAX);
        if ranges.iter().any(|range| whole(range) && !range.is_exception) {
            ranges.retain(|range| range.is_exception);
        }
    }
    ranges
}

/// Whether a raw name has lots with 番地 in addition to its koaza, and no chome.
pub fn has_lots_beside_koaza(raw: &str) -> bool {
    let Some(inside) = condition(raw) else { return false };
    let bounded =
        ["番地以上", "番地以下", "番地以降", "番地以内"].iter().any(|bound| inside.contains(bound));
    bounded && !inside.contains("丁目")
}

/// Whether a row is for lots directly after the municipality: `琴平町の次に４２７番地以降がくる場合（川西）`.
pub fn follows_city(raw: &str) -> bool {
    ["の次に", "ノ次ニ"].iter().any(|separator| raw.contains(separator))
}

/// The condition on lots in a raw name: inside its brackets, or before `番地がくる場合`.
fn condition(raw: &str) -> Option<&str> {
    if let Some((_, after)) = raw.split_once("の次に") {
        return Some(after.split_once("がくる")?.0);
    }
    let (_, after) = raw.split_once('（')?;
    Some(after.rsplit_once('）').map_or(after, |(inside, _)| inside))
}

/// A list of lots while it is read: an item inherits the parts that it omits from the item before.
struct LotList {
    row: u32,
    ranges: Vec<LotRange>,
    chome: u16,
    /// The lot whose branches the following items may list.
    main: u32,
    is_exception: bool,
}

/// Most ranges of one row; no row has as many.
const ITEMS_MAX: usize = 1_000;

impl LotList {
    fn read(&mut self, list: &str) {
        // Numbers whose unit is after a later item, or missing. Each has added one range.
        let mut pending: Vec<(u32, u32)> = Vec::new();
        for (item, separator) in items(list) {
            let inherits_lot = separator == '・';
            let quotation = item.split_once('「');
            let (head, quoted) = quotation.map_or((item, None), |(head, rest)| (head, Some(rest)));
            let mut scan = Scanner(head);
            let Some(first) = scan.number() else {
                match head {
                    "丁目" => self.push(WITH_CHOME, 0, u32::MAX),
                    "番地" | "大字" => self.push(WITHOUT_CHOME, 0, u32::MAX),
                    _ => {}
                }
                pending.clear();
                continue;
            };
            let last = if scan.skip_any(&["~"]) { scan.number().unwrap_or(first) } else { first };
            if scan.0.is_empty() && quoted.is_none() {
                pending.push((first, last));
                self.read_lots(head, inherits_lot);
                continue;
            }
            if !scan.skip_any(&["丁目", "丁"]) {
                self.read_lots(head, inherits_lot);
                self.read_quoted(quoted);
            } else if scan.0.is_empty() {
                // The pending numbers are chome, too.
                self.ranges.truncate(self.ranges.len().saturating_sub(pending.len()));
                for (first, last) in pending.drain(..).chain([(first, last)]) {
                    self.add_whole_chome(first, last);
                }
                self.chome = u16::try_from(last).unwrap_or(0);
                self.read_quoted(quoted);
                self.chome = 0;
            } else {
                self.chome = u16::try_from(last).unwrap_or(0);
                self.read_lots(scan.0, false);
                self.read_quoted(quoted);
            }
            pending.clear();
        }
    }

    /// Adds all lots of these chome.
    fn add_whole_chome(&mut self, first: u32, last: u32) {
        for chome in first..=last.min(first.saturating_add(200)) {
            if let Ok(chome) = u16::try_from(chome) {
                self.push(chome, 0, u32::MAX);
            }
        }
    }

    /// Text in 「」 after an item restricts it or is an exception to it.
    fn read_quoted(&mut self, quoted: Option<&str>) {
        let Some((inside, after)) = quoted.and_then(|it| it.split_once('」')) else { return };
        let is_exception =
            inside.ends_with("を除く") || after.starts_with("以外") || after.starts_with("を除く");
        if is_exception {
            let before = std::mem::replace(&mut self.is_exception, true);
            for (item, separator) in items(inside) {
                self.read_lots(item, separator == '・');
            }
            self.is_exception = before;
        }
    }

    /// Adds the lots of one item, which is without its chome: `459-4`, `1~657番地`, `1番1~23号`, `430番地以上`.
    fn read_lots(&mut self, item: &str, inherits_lot: bool) {
        let mut scan = Scanner(item);
        let Some(first) = scan.number() else { return };
        let mut numbers = vec![first];
        let mut is_spelled_out = false;
        while numbers.len() < 3 {
            let dash = scan.skip_any(&["-"]);
            if !dash && !scan.skip_any(&["の", "番地の", "番の", "番地", "番"]) {
                break;
            }
            is_spelled_out = !dash;
            match scan.number() {
                Some(number) => numbers.push(number),
                None => break,
            }
        }
        let chome = if let [chome, _, _] = numbers[..] {
            numbers.remove(0);
            u16::try_from(chome).unwrap_or(0)
        } else {
            self.chome
        };
        if inherits_lot && self.main > 0 && numbers.len() == 1 && scan.0.is_empty() {
            numbers.insert(0, self.main);
        }
        let (main, branch) = (numbers[0], numbers.get(1).copied());
        self.main = if branch.is_some() { main } else { 0 };
        let start = packed(main, branch.unwrap_or(0));
        let mut end = packed(main, branch.unwrap_or(0xFFFF));
        if scan.skip_any(&["~"]) {
            let last = scan.number().unwrap_or(main);
            end = match branch {
                Some(branch) if last > branch && (is_spelled_out || last < main) => {
                    packed(main, last.max(branch))
                }
                _ if scan.skip_any(&["-", "の"]) => packed(last, scan.number().unwrap_or(0xFFFF)),
                _ => packed(last, 0xFFFF),
            };
        }
        scan.skip_any(&["番地", "番", "号"]);
        let (start, end) = if scan.skip_any(&["以上", "以降"]) {
            (start, u32::MAX)
        } else if scan.skip_any(&["以下", "以内"]) {
            (0, end)
        } else {
            (start, end)
        };
        self.push(chome, start, end);
    }

    fn push(&mut self, chome: u16, first: u32, last: u32) {
        if self.ranges.len() < ITEMS_MAX {
            let (row, is_exception) = (self.row, self.is_exception);
            self.ranges.push(LotRange { row, chome, is_exception, first, last });
        }
    }
}

/// The items of a list, each with the separator before it; separators inside 「」 are part of an item.
fn items(list: &str) -> impl Iterator<Item = (&str, char)> {
    let mut depth = 0;
    let parts = list.split_inclusive(move |sign| {
        match sign {
            '「' => depth += 1,
            '」' => depth -= 1,
            _ => {}
        }
        let ends = depth <= 0 && matches!(sign, '、' | '・');
        depth = if ends { 0 } else { depth };
        ends
    });
    parts.scan('、', |next_separator, part| {
        let separator = std::mem::replace(next_separator, part.chars().next_back()?);
        Some((part.strip_suffix(['、', '・']).unwrap_or(part), separator))
    })
}

/// The rest of an item.
struct Scanner<'a>(&'a str);

impl Scanner<'_> {
    /// Reads the next number; `None` if none is next.
    fn number(&mut self) -> Option<u32> {
        let end = self.0.bytes().take_while(u8::is_ascii_digit).count();
        let number = self.0[..end].parse().ok()?;
        self.0 = &self.0[end..];
        Some(number)
    }

    /// Skips the first of the words that is next; `false` if none is.
    fn skip_any(&mut self, words: &[&str]) -> bool {
        let rest = words.iter().find_map(|word| self.0.strip_prefix(word));
        if let Some(rest) = rest {
            self.0 = rest;
        }
        rest.is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks for each lot whether the row with this raw name contains it.
    #[track_caller]
    fn check(raw: &str, chome: u16, lots: &[(&[u32], Option<bool>)]) {
        let ranges = parse(7, raw, chome);
        let bytes = rkyv::to_bytes::<rkyv::rancor::Error>(&ranges).expect("numbers archive");
        let read = rkyv::access::<rkyv::Archived<Vec<LotRange>>, rkyv::rancor::Error>(&bytes);
        let read = read.expect("archived data are valid");
        for (lot, expected) in lots {
            assert_eq!(contains(read, lot, false), *expected, "{raw} {lot:?} {ranges:?}");
        }
    }

    #[test]
    fn lots_of_divided_towns() {
        check(
            "富平（３３１、４５９－４、５４３番地）",
            0,
            &[
                (&[331], Some(true)),
                (&[331, 2], Some(true)),
                (&[459, 4], Some(true)),
                (&[459, 5], Some(false)),
                (&[459], Some(true)),
                (&[543], Some(true)),
                (&[12], Some(false)),
                (&[], None),
            ],
        );
        check("竹房（４５０番地以下）", 0, &[(&[450, 9], Some(true)), (&[451], Some(false))]);
        check("竹房（４５１番地以上）", 0, &[(&[450], Some(false)), (&[451, 1], Some(true))]);
        check(
            "廻栖野（１～６５７、７７６～８２９番地）",
            0,
            &[(&[657, 3], Some(true)), (&[700], Some(false)), (&[776], Some(true))],
        );
        check("桜ケ丘（７、８丁目）", 0, &[(&[7, 1, 2], Some(true)), (&[1, 7], Some(false))]);
        check("南一条西（１～１９丁目）", 0, &[(&[19, 1], Some(true)), (&[20, 1], Some(false))]);
        check(
            "戸山（３丁目１８・２１番）",
            3,
            &[(&[3, 18, 1], Some(true)), (&[3, 21], Some(true)), (&[3, 4, 1], Some(false))],
        );
        check(
            "西瑞江（４丁目１～２番・１０～２７番、５丁目）",
            4,
            &[(&[4, 2, 9], Some(true)), (&[4, 3, 1], Some(false)), (&[4, 27], Some(true))],
        );
        check("西瑞江（４丁目１～２番・１０～２７番、５丁目）", 5, &[(&[5, 3, 1], None)]);
        check(
            "西早稲田（２丁目１番１～２３号、２番）",
            2,
            &[(&[2, 1, 23], Some(true)), (&[2, 1, 24], Some(false)), (&[2, 2, 1], Some(true))],
        );
        check(
            "名駅（１－１－８、１－１－１２）",
            0,
            &[(&[1, 1, 8], Some(true)), (&[1, 1, 9], Some(false)), (&[2, 1, 8], Some(false))],
        );
        check(
            "大豆（１の２、３の２～６、４の２・４・６、１１の１番地）",
            0,
            &[
                (&[1, 2], Some(true)),
                (&[3, 5], Some(true)),
                (&[3, 7], Some(false)),
                (&[4, 6], Some(true)),
                (&[4, 5], Some(false)),
            ],
        );
        check(
            "大江（１丁目、２丁目「６５１、６６２、６６８番地」以外、３丁目５）",
            2,
            &[(&[2, 651], Some(false)), (&[2, 650], Some(true))],
        );
        check(
            "小菅村の次に６６４番地以降がくる場合",
            0,
            &[(&[4698], Some(true)), (&[663], Some(false))],
        );
        check("橋本（丁目）", 0, &[(&[1, 2, 3], Some(true)), (&[12, 3], Some(false))]);
        check("橋本（大字）", 0, &[(&[1, 2, 3], Some(false)), (&[12, 3], Some(true))]);
        check("富平（その他）", 0, &[(&[331], None)]);
        check("岩田町（影岩）", 0, &[(&[331], None)]);
        check("川上町", 0, &[(&[331], None)]);
    }

    #[test]
    fn a_number_that_is_no_chome_has_no_effect() {
        for raw in ["町（４２９４９６７２９５丁目）", "町（７００００丁目）"]
        {
            assert!(parse(7, raw, 0).is_empty(), "{raw}");
        }
    }

    proptest::proptest! {
        #[test]
        fn any_raw_name_is_parsed(raw in "町（[0-9０-９～、・「」番地丁目以外除の－-]{0,40}）?") {
            proptest::prop_assert!(parse(0, &raw, 0).len() <= ITEMS_MAX);
        }
    }
}
