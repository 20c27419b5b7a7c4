//! What narrows the corporations of `name` and `diff`: where they are, and of which kind.

use std::ops::Range;

use crate::api::pipeline::params::Params;
use crate::compat::agency::fault::{Fault, FaultKind, Refusal};
use crate::dataset::corporate::CorporateData;
use crate::dataset::corporate::record::{CorporateView, OfficePlaceView};
use crate::snapshot::Result as SnapshotResult;
use crate::text::codes::digits::PREFECTURES;

#[derive(Debug, Default, PartialEq, Eq)]
pub struct Narrowing {
    address: Option<Area>,
    /// The wanted kinds; none means all.
    kinds: Vec<&'static [u16]>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Area {
    /// JIS X 0401.
    Prefecture(u8),
    /// JIS X 0401 and 0402.
    City(u32),
    Abroad,
}

/// In `address`: corporations with an address abroad.
const ABROAD: &str = "99";

/// The kinds of corporations (法人種別) of each word of `kind`.
const KINDS: [(&str, &[u16]); 4] =
    [("01", &[101]), ("02", &[201]), ("03", &[301, 302, 303, 304, 305, 399]), ("04", &[401, 499])];

impl Narrowing {
    pub fn read(params: &Params<'_>) -> Result<Narrowing, Refusal> {
        let address = params.non_empty("address")?.map(|text| area(&text)).transpose()?;
        let mut kinds = Vec::new();
        if let Some(text) = params.non_empty("kind")? {
            for word in text.split(',').map(str::trim) {
                let known = KINDS.iter().find(|(known, _)| *known == word);
                let (_, found) = known.ok_or_else(|| {
                    let expected = "01、02、03、04のいずれか（複数はカンマ区切り）";
                    Fault::unexpected(FaultKind::Value, "kind", expected, &text)
                })?;
                kinds.push(*found);
            }
        }
        Ok(Narrowing { address, kinds })
    }

    /// Whether an entry passes.
    pub fn passes(&self, view: &CorporateView<'_>) -> bool {
        let is_there = match self.address {
            None => true,
            Some(Area::Abroad) => !view.outside().text.is_empty(),
            Some(area) => area.has(view.place()),
        };
        is_there
            && (self.kinds.is_empty()
                || self.kinds.iter().any(|kinds| kinds.contains(&view.kind())))
    }

    /// Whether a withdrawn number passes, of which nothing is known.
    pub fn passes_unknown(&self) -> bool {
        *self == Narrowing::default()
    }

    /// The rows of the wanted place; `None` if it is not in Japan, or any.
    pub fn rows(&self, data: &CorporateData) -> SnapshotResult<Option<Vec<Range<u32>>>> {
        let Some(area) = self.address.filter(|area| *area != Area::Abroad) else { return Ok(None) };
        let places = data.places()?.filter(|(place, _)| area.has(*place));
        Ok(Some(places.map(|(_, rows)| rows).collect()))
    }
}

impl Area {
    fn has(self, place: OfficePlaceView<'_>) -> bool {
        match self {
            Area::Prefecture(code) => place.prefecture_code() == Some(code),
            Area::City(code) => place.jisx0402() == Some(code),
            Area::Abroad => false,
        }
    }
}

/// Two digits of a prefecture, or five of a municipality.
fn area(text: &str) -> Result<Area, Fault> {
    let expected =
        "都道府県コード2桁（01から47、国外は99）、または都道府県コードと市区町村コードの5桁";
    let wrong = || Fault::unexpected(FaultKind::Value, "address", expected, text);
    if text == ABROAD {
        return Ok(Area::Abroad);
    }
    let is_code = text.bytes().all(|byte| byte.is_ascii_digit());
    let number: u32 = text.parse().ok().filter(|_| is_code).ok_or_else(wrong)?;
    let prefecture = match text.len() {
        2 => number,
        5 => number / 1_000,
        3 => {
            let kind = FaultKind::CityWithoutPrefecture;
            return Err(Fault::unexpected(kind, "address", expected, text));
        }
        _ => return Err(wrong()),
    };
    let prefecture = u8::try_from(prefecture).ok();
    let is_known = |code: &u8| (1..=PREFECTURES.len()).contains(&usize::from(*code));
    let prefecture = prefecture.filter(is_known).ok_or_else(wrong)?;
    Ok(if text.len() == 2 { Area::Prefecture(prefecture) } else { Area::City(number) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_a_prefecture_or_a_municipality_in_one() {
        for (text, expected) in [
            ("01", Area::Prefecture(1)),
            ("47", Area::Prefecture(47)),
            ("13101", Area::City(13_101)),
            ("99", Area::Abroad),
        ] {
            assert_eq!(area(text), Ok(expected), "{text}");
        }
        let kind = |text| area(text).expect_err("no address").kind;
        assert_eq!(kind("101"), FaultKind::CityWithoutPrefecture);
        for wrong in ["0", "00", "48", "99101", "1310", "131010", "1a", "１３", "+1", "東京"] {
            assert_eq!(kind(wrong), FaultKind::Value, "{wrong}");
        }
    }

    #[test]
    fn kinds_are_a_list_of_words() {
        let read = |query: &'static str| Narrowing::read(&Params::new(Some(query)));
        let kinds = |query| read(query).map(|it| it.kinds.concat()).ok();
        assert_eq!(kinds("kind="), Some(vec![]));
        assert_eq!(kinds("kind=01,04"), Some(vec![101, 401, 499]));
        for wrong in ["kind=1", "kind=05", "kind=01,", "kind=301"] {
            assert_eq!(kinds(wrong), None, "{wrong}");
        }
    }
}
