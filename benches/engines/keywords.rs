//! Sets of queries: substrings of random rows, the keywords that most rows have, and combinations.

use daicho::dataset::corporate::CorporateData;
use daicho::text::fold::{Level, folded};

use engines::question::{Question, Term};
use engines::rows::{Field, Texts};

use super::seeded::SeededRandom;

/// Number of queries in a set.
pub const QUESTIONS: usize = 200;

/// Words that about half of the names have. They are cut out, so that queries come from the rest of a name.
const KIND_WORDS: [&str; 14] = [
    "株式会社",
    "有限会社",
    "合同会社",
    "合資会社",
    "合名会社",
    "一般社団法人",
    "一般財団法人",
    "特定非営利活動法人",
    "医療法人社団",
    "医療法人",
    "社会福祉法人",
    "農事組合法人",
    "協同組合",
    "学校法人",
];

/// Pairs of letters that very many names have.
const HOT_2: [&str; 16] = [
    "株式", "会社", "式会", "有限", "合同", "建設", "工業", "商事", "ング", "ース", "ール", "ート",
    "日本", "東京", "サー", "シヨ",
];

/// Words of three and more letters that very many names have.
const HOT_3: [&str; 12] = [
    "株式会社",
    "有限会社",
    "合同会社",
    "サービス",
    "不動産",
    "製作所",
    "設備工業",
    "コーポレーシヨン",
    "ジヤパン",
    "センター",
    "一般社団法人",
    "北海道",
];

const HOT_STREETS: [&str; 10] =
    ["丁目", "番地", "1丁目", "2番", "3号", "番1号", "ビル", "マンシヨン", "101号室", "大字"];

const HOT_READINGS: [&str; 8] =
    ["シヨウ", "コウ", "ケン", "サービス", "ング", "ン", "ース", "スイ"];

/// Makes queries from the rows of a snapshot.
pub struct Questions<'d> {
    data: &'d CorporateData,
    rows: usize,
    random: SeededRandom,
    texts: Texts,
}

impl<'d> Questions<'d> {
    pub fn of(data: &'d CorporateData) -> Questions<'d> {
        let rows = data.counts().expect("sound").corporations;
        Questions { data, rows, random: SeededRandom::new(11), texts: Texts::default() }
    }

    /// The text of a field of a random row, without kind words.
    fn text(&mut self, field: Field) -> String {
        loop {
            let row = self.random.below(self.rows) as u32;
            let view = self.data.row(row).expect("sound").expect("a row");
            let mut text = self.texts.text(view, field);
            if field == Field::Name {
                for word in KIND_WORDS {
                    text = text.replacen(&folded(word, Level::Search), "", 1);
                }
            }
            if !text.is_empty() {
                return text;
            }
        }
    }

    /// A substring of a random row.
    fn term(&mut self, field: Field, length: usize) -> Term {
        loop {
            let characters: Vec<char> = self.text(field).chars().collect();
            if characters.len() < length {
                continue;
            }
            let start = self.random.below(characters.len() - length + 1);
            let found = &characters[start..start + length];
            // The query language does not allow these in a keyword.
            if !found.iter().any(|letter| letter.is_whitespace() || "(){}[]'\"\\".contains(*letter))
            {
                return Term { field, text: found.iter().collect() };
            }
        }
    }

    /// Substrings of these lengths in turn.
    pub fn substrings(&mut self, field: Field, lengths: &[usize]) -> Vec<Question> {
        let length = |at: usize| lengths[at % lengths.len()];
        (0..QUESTIONS).map(|at| Question::One(self.term(field, length(at)))).collect()
    }

    /// A part of a name and a part of a street, of the same row or of different rows.
    pub fn both_fields(&mut self) -> Vec<Question> {
        let of = |questions: &mut Self, at: usize| {
            let name = questions.term(Field::Name, 2 + at % 2);
            Question::And(vec![name, questions.term(Field::Street, 2 + at % 3)])
        };
        (0..QUESTIONS).map(|at| of(self, at)).collect()
    }

    /// Any of three parts of names.
    pub fn any_of_three(&mut self) -> Vec<Question> {
        let of = |questions: &mut Self, at: usize| {
            Question::Or((0..3).map(|_| questions.term(Field::Name, 2 + at % 2)).collect())
        };
        (0..QUESTIONS).map(|at| of(self, at)).collect()
    }

    /// One part without one or two others.
    pub fn without(&mut self) -> Vec<Question> {
        let of = |questions: &mut Self, at: usize| {
            let wanted = questions.term(Field::Name, 2);
            let others = (0..1 + at % 2).map(|_| questions.term(Field::Name, 2)).collect();
            Question::Not(wanted, others)
        };
        (0..QUESTIONS).map(|at| of(self, at)).collect()
    }

    /// Pairs of letters that names have, but not side by side (most of them).
    pub fn absent(&mut self) -> Vec<Question> {
        let mut pair = || {
            let [left, right] = [0; 2].map(|_| self.term(Field::Name, 1).text);
            Question::One(Term { field: Field::Name, text: left + &right })
        };
        (0..QUESTIONS).map(|_| pair()).collect()
    }
}

fn all(field: Field, words: &[&str]) -> Vec<Question> {
    let question = |word: &&str| {
        // These literals are already folded, as an index has them.
        Question::One(Term { field, text: folded(word, Level::Search) })
    };
    words.iter().filter(|word| word.chars().count() > 1).map(question).collect()
}

/// The keywords that most names have: of two letters, and of more.
pub fn hot_names() -> [Vec<Question>; 2] {
    [all(Field::Name, &HOT_2), all(Field::Name, &HOT_3)]
}

/// The keywords that most readings and streets have.
pub fn hot_fields() -> [Vec<Question>; 2] {
    [all(Field::Furigana, &HOT_READINGS), all(Field::Street, &HOT_STREETS)]
}

/// Combinations of the most frequent words.
pub fn hot_combinations() -> Vec<Question> {
    let name = |text: &str| Term { field: Field::Name, text: folded(text, Level::Search) };
    let street = |text: &str| Term { field: Field::Street, text: folded(text, Level::Search) };
    vec![
        Question::And(vec![name("株式会社"), street("丁目")]),
        Question::And(vec![name("会社"), street("番地")]),
        Question::And(vec![name("サービス"), street("ビル")]),
        Question::And(vec![name("建設"), street("大字")]),
        Question::Or(vec![name("株式会社"), name("有限会社"), name("合同会社")]),
        Question::Or(vec![name("建設"), name("工業"), name("商事")]),
        Question::Not(name("会社"), vec![name("株式")]),
        Question::Not(name("株式会社"), vec![name("建設"), name("工業")]),
        Question::Not(name("サービス"), vec![name("株式会社")]),
    ]
}
