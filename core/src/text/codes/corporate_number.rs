//! The codes of the register of corporations (法人番号公表サイト): the number, a check digit followed by twelve digits, and the
//! other codes, in the order in which records number them. And the registration numbers of qualified invoice issuers:
//! `T` and thirteen digits.

use super::CodeError;
use super::digits::digit;

/// Thirteen digits. A number with a wrong check digit is well formed but belongs to no corporation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, derive_more::Display)]
#[display("{number:013}")]
pub struct CorporateNumber {
    number: u64,
}

const EXPECTED: &str = "a corporate number has 13 digits";
const BODY_LIMIT: u64 = CorporateNumber::BODY_LIMIT;

impl CorporateNumber {
    /// The check digit and the twelve after it.
    pub const DIGITS: usize = 13;

    /// One more than the largest body, which is the number of the twelve digits after the check digit.
    pub const BODY_LIMIT: u64 = 1_000_000_000_000;

    /// Reads exactly thirteen digits, half-width or full-width.
    #[inline]
    pub fn parse(text: &str) -> Result<CorporateNumber, CodeError> {
        match CorporateNumber::from_ascii_digits(text.as_bytes()) {
            Some(number) => Ok(number),
            None => CorporateNumber::from_wide_digits(text).ok_or_else(|| {
                let is_digit = |_, character| digit(character).is_some();
                CodeError::in_text(EXPECTED, text, CorporateNumber::DIGITS, is_digit)
            }),
        }
    }

    #[cold]
    fn from_wide_digits(text: &str) -> Option<CorporateNumber> {
        let digits = text.chars().map(|character| digit(character).map(|value| b'0' + value));
        CorporateNumber::from_ascii_digits(&digits.collect::<Option<Vec<u8>>>()?)
    }

    #[inline]
    fn from_ascii_digits(digits: &[u8]) -> Option<CorporateNumber> {
        let digits: &[u8; CorporateNumber::DIGITS] = digits.try_into().ok()?;
        let (first, last): (&[u8; 8], &[u8; 8]) = (digits.first_chunk()?, digits.last_chunk()?);
        // The two groups of eight overlap by three digits, since 13 is 8 and 8 less 3.
        let (first, last) = (eight_digits(*first)?, eight_digits(*last)?);
        Some(CorporateNumber { number: u64::from(first / 1_000) * 100_000_000 + u64::from(last) })
    }

    /// `None` if `number` has more than thirteen digits.
    pub fn from_number(number: u64) -> Option<CorporateNumber> {
        (number < 10 * BODY_LIMIT).then_some(CorporateNumber { number })
    }

    /// The number with these twelve digits and the right check digit.
    pub fn from_body(body: u64) -> Option<CorporateNumber> {
        let number = |body| CorporateNumber { number: check_digit(body) * BODY_LIMIT + body };
        (body < BODY_LIMIT).then(|| number(body))
    }

    #[inline]
    pub fn number(self) -> u64 {
        self.number
    }

    /// The number of the twelve digits after the check digit.
    #[inline]
    pub fn body(self) -> u64 {
        self.number % BODY_LIMIT
    }

    /// The first digit, right or wrong; 0 to 9.
    #[inline]
    pub fn check_digit(self) -> usize {
        (self.number / BODY_LIMIT) as usize
    }

    /// Whether the check digit is right. It is computed at each call.
    #[inline]
    pub fn is_sound(self) -> bool {
        self.check_digit() as u64 == check_digit(self.body())
    }
}

/// Eight ASCII digits as a number, computed in parallel: first pairs, then fours, then all eight.
#[inline]
fn eight_digits(digits: [u8; 8]) -> Option<u32> {
    let digits = u64::from_le_bytes(digits);
    // A digit is 0x30 to 0x39 and stays below 0x40 when 6 is added. No sum carries into the next byte: a byte that
    // could carry has a high half other than 3.
    let high = |bytes: u64| bytes & 0xf0f0_f0f0_f0f0_f0f0;
    const THREES: u64 = 0x3030_3030_3030_3030;
    let plus_six = digits.wrapping_add(0x0606_0606_0606_0606);
    if high(digits) != THREES || high(plus_six) != THREES {
        return None;
    }
    // The first digit is the lowest byte. Each step multiplies the lower half of a pair by its place value.
    let digits = digits - THREES;
    let pairs = (digits * 10 + (digits >> 8)) & 0x00ff_00ff_00ff_00ff;
    let fours = (pairs * 100 + (pairs >> 16)) & 0x0000_ffff_0000_ffff;
    Some((fours * 10_000 + (fours >> 32)) as u32)
}

/// 9 minus the sum modulo 9, where every second digit from the right counts double.
#[inline]
fn check_digit(body: u64) -> u64 {
    // Two independent halves of three pairs each, so that their divisions overlap.
    let sum = |six: u32| {
        let pairs = [six / 10_000 % 100, six / 100 % 100, six % 100];
        pairs.iter().map(|pair| u64::from(PAIR_SUMS[*pair as usize])).sum::<u64>()
    };
    9 - (sum((body / 1_000_000) as u32) + sum((body % 1_000_000) as u32)) % 9
}

/// For each pair of digits, twice the first plus the second.
const PAIR_SUMS: [u8; 100] = {
    let mut pairs = [0; 100];
    let mut pair = 0;
    while pair < pairs.len() {
        pairs[pair] = (pair / 10 * 2 + pair % 10) as u8;
        pair += 1;
    }
    pairs
};

/// Kinds of corporations (法人種別).
pub const KINDS: [u16; 10] = [101, 201, 301, 302, 303, 304, 305, 399, 401, 499];

/// Processes (処理区分).
pub const PROCESSES: [u8; 10] = [1, 11, 12, 13, 21, 22, 71, 72, 81, 99];

/// Causes of closing (登記記録の閉鎖等の事由). The first means none.
pub const CLOSE_CAUSES: [u8; 5] = [0, 1, 11, 21, 31];

#[rustfmt::skip] // Several codes a line.
/// The words of [`KINDS`], as facets show them.
pub const KIND_WORDS: &[(u16, &str)] = &[
    (101, "行政機関など"), (201, "地方公共団体"), (301, "株式会社"), (302, "有限会社"),
    (303, "合名会社"), (304, "合資会社"), (305, "合同会社"), (399, "その他の設立登記法人"),
    (401, "外国会社等"), (499, "その他"),
];

#[rustfmt::skip] // Several codes a line.
/// The words of [`PROCESSES`], as facets show them.
pub const PROCESS_WORDS: &[(u16, &str)] = &[
    (1, "新規"), (11, "商号又は名称の変更"), (12, "国内所在地の変更"), (13, "国外所在地の変更"),
    (21, "登記記録の閉鎖等"), (22, "登記記録の復活等"), (71, "吸収合併"), (72, "吸収合併無効"),
    (81, "商号の登記抹消"), (99, "削除"),
];

#[rustfmt::skip] // Several codes a line.
/// The words of [`CLOSE_CAUSES`], as facets show them.
pub const CLOSE_CAUSE_WORDS: &[(u16, &str)] = &[
    (1, "清算の結了等"), (11, "合併による解散等"), (21, "登記官による閉鎖"),
    (31, "その他の清算の結了等"), (0, "その他"),
];

/// `T` and thirteen digits. A corporation has its corporate number here, whose first digit is a check digit.
/// Numbers of individuals, and of associations without a corporate number, may begin with any digit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, derive_more::Display)]
#[display("T{_0}")]
pub struct InvoiceNumber(CorporateNumber);

const INVOICE_EXPECTED: &str = "a registration number is T and 13 digits";

impl InvoiceNumber {
    /// Reads `T` and exactly thirteen digits, half-width or full-width.
    pub fn parse(text: &str) -> Result<InvoiceNumber, CodeError> {
        let digits = text.strip_prefix(['T', 'Ｔ']).ok_or_else(|| parse_error(text))?;
        CorporateNumber::parse(digits).map(InvoiceNumber).map_err(|_digits| parse_error(text))
    }

    /// The registration number of a corporation, whether or not it is registered.
    pub fn from_corporate(number: CorporateNumber) -> InvoiceNumber {
        InvoiceNumber(number)
    }

    /// `None` if `digits` has more than thirteen digits.
    pub fn from_digits(digits: u64) -> Option<InvoiceNumber> {
        CorporateNumber::from_number(digits).map(InvoiceNumber)
    }

    pub fn digits(self) -> u64 {
        self.0.number()
    }

    /// The digits as a corporate number. With a wrong check digit it belongs to no corporation.
    pub fn corporate(self) -> CorporateNumber {
        self.0
    }
}

fn parse_error(text: &str) -> CodeError {
    CodeError::in_text(INVOICE_EXPECTED, text, 1 + CorporateNumber::DIGITS, |index, found| {
        match index {
            0 => matches!(found, 'T' | 'Ｔ'),
            _ => digit(found).is_some(),
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_check_digit_follows_the_definition() {
        let defined = |body: u64| {
            let digits =
                (0..12u32).map(|index| (body / 10u64.pow(index) % 10) * u64::from(1 + index % 2));
            9 - digits.sum::<u64>() % 9
        };
        let step = 99_999_999_977;
        for body in (0..100_000).chain((0..100_000).map(|factor| factor * step % BODY_LIMIT)) {
            assert_eq!(check_digit(body), defined(body), "{body}");
        }
    }

    #[test]
    fn thirteen_digits_are_a_number_and_one_in_nine_is_sound() {
        for text in ["7000012050002", "1000020313025", "2021001052596"] {
            let number = CorporateNumber::parse(text).expect("thirteen digits");
            assert!(number.is_sound(), "{text}");
            assert_eq!(number.to_string(), text);
            assert_eq!(CorporateNumber::from_body(number.body()), Some(number));
        }
        let step = 999_999_999_961;
        for number in (0..10_000).map(|factor| factor * step % (10 * BODY_LIMIT)) {
            let text = format!("{number:013}");
            let read = CorporateNumber::parse(&text).map(CorporateNumber::number);
            assert_eq!(read, Ok(number), "{text}");
        }
        for index in 0..CorporateNumber::DIGITS {
            for byte in 0..128_u8 {
                let mut text = *b"7000012050002";
                text[index] = byte;
                let text = std::str::from_utf8(&text).expect("ASCII");
                let read = CorporateNumber::parse(text).ok().map(CorporateNumber::number);
                assert_eq!(read, byte.is_ascii_digit().then(|| text.parse().expect("digits")));
            }
        }
        for text in ["７０００01205０00２", "７００００１２０５０００２"] {
            let read = CorporateNumber::parse(text).map(CorporateNumber::number);
            assert_eq!(read, Ok(7_000_012_050_002), "{text}");
        }
        let wrong = CorporateNumber::parse("0000020313025").expect("thirteen digits");
        assert!(!wrong.is_sound());
        assert_eq!(wrong.to_string(), "0000020313025");
        for (text, expected) in [
            ("", "0 characters"),
            ("700001205000", "12 characters"),
            ("70000120500020", "14 characters"),
            ("T7000012050002", "14 characters"),
            ("700001205000O", "'O' at character 13"),
            ("７０００01205000〇", "'〇' at character 13"),
            ("７０００01205000", "12 characters"),
            ("7000-01205000", "'-' at character 5"),
        ] {
            let error = CorporateNumber::parse(text).expect_err(text);
            assert_eq!(error.found.to_string(), expected, "{text}");
        }
    }
}

#[cfg(test)]
mod invoice_number_tests {
    use super::*;

    #[test]
    fn a_registration_number_has_t_and_thirteen_digits() {
        let number = InvoiceNumber::parse("T7000012050002").expect("a number");
        assert_eq!(number.to_string(), "T7000012050002");
        assert_eq!((number.digits(), number.corporate().is_sound()), (7_000_012_050_002, true));
        let individual = InvoiceNumber::parse("T0000012050002").expect("well formed");
        assert_eq!(individual.to_string(), "T0000012050002");
        assert!(!individual.corporate().is_sound());
        assert_eq!(InvoiceNumber::from_digits(12_050_002), Some(individual));
        assert_eq!(InvoiceNumber::from_digits(10_000_000_000_000), None);
        assert_eq!(InvoiceNumber::parse("Ｔ７0000１2050002"), Ok(number), "full-width");
        for (text, expected) in [
            ("", "0 characters"),
            ("T", "1 character"),
            ("7000012050002", "13 characters"),
            ("T700001205000", "13 characters"),
            ("T70000120500020", "15 characters"),
            ("t7000012050002", "'t' at character 1"),
            ("T700001205000O", "'O' at character 14"),
            ("07000012050002", "'0' at character 1"),
            ("T-000012050002", "'-' at character 2"),
        ] {
            let error = InvoiceNumber::parse(text).expect_err(text);
            assert_eq!(error.found.to_string(), expected, "{text}");
            assert_eq!(error.expected, INVOICE_EXPECTED);
        }
    }
}
