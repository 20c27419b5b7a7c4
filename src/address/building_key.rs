//! Normal forms of buildings and their floors: equal for different spellings of the same one.

use super::units::{KeyBuffers, is_digit, unit};

/// The name of a building without dots, brackets and hyphens, and with ビル for ビルディング.
pub fn building_key(name: &str) -> Vec<u16> {
    let mut found = Vec::new();
    write_building_key(name, &mut KeyBuffers::default(), &mut found);
    found
}

pub fn write_building_key(name: &str, buffers: &mut KeyBuffers, out: &mut Vec<u16>) {
    const LONG: [&[u16]; 2] = [
        &[unit('ビ'), unit('ル'), unit('デ'), unit('イ'), unit('ン'), unit('グ')],
        &[unit('ビ'), unit('ル'), unit('ヂ'), unit('ン'), unit('グ')],
    ];
    let outside = name.split(['（', '(']).next().unwrap_or_default();
    buffers.write(outside, out);
    out.retain(|code| !is_dropped(*code));
    for long in LONG {
        while let Some(position) = out.windows(long.len()).position(|window| window == long) {
            out.drain(position + 2..position + long.len());
        }
    }
}

/// Whether keys of buildings leave this unit out.
pub fn is_dropped(code: u16) -> bool {
    [unit('・'), unit('-'), unit('ー'), unit('.'), unit('\'')].contains(&code)
}

/// The number of the first floor in a text, negative below ground: `15階`, `8F`, `B1F`, `地下1階`.
pub fn floor_number(text: &[u16]) -> Option<i16> {
    let mut position = 0;
    while position < text.len() {
        let digits = text[position..].iter().take_while(|code| is_digit(**code)).count();
        if digits == 0 {
            position += 1;
            continue;
        }
        let counter = text.get(position + digits).copied();
        let is_basement =
            text[..position].ends_with(&[unit('b')]) || text[..position].ends_with(&[unit('下')]);
        let is_floor = counter == Some(unit('階')) || counter == Some(unit('f')) || is_basement;
        if is_floor && digits <= 3 {
            let value = text[position..position + digits]
                .iter()
                .fold(0i16, |value, code| value * 10 + (*code - unit('0')) as i16);
            return Some(if is_basement { -value } else { value });
        }
        position += digits;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::super::units::key;
    use super::*;

    #[test]
    fn floors_have_numbers() {
        #[track_caller]
        fn check(text: &str, expected: Option<i16>) {
            assert_eq!(floor_number(&key(text)), expected, "{text}");
        }
        check("１５階", Some(15));
        check("三十階", Some(30));
        check("8F", Some(8));
        check("Ｂ１Ｆ", Some(-1));
        check("地下1階", Some(-1));
        check("B2", Some(-2));
        check("301号室", None);
        check("8階801", Some(8));
        check("99999階", None);
        check("", None);
    }

    #[test]
    fn spellings_of_a_building_have_one_key() {
        #[track_caller]
        fn check(one: &str, other: &str) {
            assert_eq!(building_key(one), building_key(other), "{one} {other}");
        }
        check("新丸の内ビルディング", "新丸ノ内ビル");
        check("大名古屋ビルヂング", "大名古屋ビル");
        check("ミッドタウン・タワー", "ﾐｯﾄﾞﾀｳﾝﾀﾜｰ");
        check("ミッドランドスクエア（高層棟）", "ミッドランドスクエア");
        check("ＪＰタワー", "JPタワー");
        check("ＴｈｉｎｋＰａｒｋＴｏｗｅｒ", "Think Park Tower");
    }
}
