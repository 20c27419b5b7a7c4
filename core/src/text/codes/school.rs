//! The codes of the ministry's list of schools (学校コード一覧) with their words.

/// Types of schools (学校種): the letter's place in the alphabet and the digit, so that 11 is A1.
pub const TYPES: [(u16, &str); 13] = [
    (11, "幼稚園"),
    (12, "幼保連携型認定こども園"),
    (21, "小学校"),
    (31, "中学校"),
    (32, "義務教育学校"),
    (41, "高等学校"),
    (42, "中等教育学校"),
    (51, "特別支援学校"),
    (61, "大学"),
    (62, "短期大学"),
    (71, "高等専門学校"),
    (81, "専修学校"),
    (82, "各種学校"),
];

/// Kind of establishing body (設置区分).
pub const ESTABLISHMENTS: [(u16, &str); 3] = [(1, "国立"), (2, "公立"), (3, "私立")];

/// 本分校; a closed school is neither main school nor branch.
pub const BRANCHES: [(u16, &str); 3] = [(1, "本校"), (2, "分校"), (9, "廃校")];
