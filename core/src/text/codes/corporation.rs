//! The codes of the register of corporations (法人番号公表サイト), in the order in which records number them.

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
