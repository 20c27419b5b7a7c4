//! The forms of the demonstration: the shown markup is the markup that runs.

use crate::api::words::{Words, words};
use crate::docs::pages::Language;
use crate::text::prefecture::PREFECTURES;

/// A form with inputs to try.
pub struct Example {
    pub name: &'static str,
    pub title: Words,
    pub about: Words,
    /// What to type.
    pub try_this: Words,
    markup: &'static str,
}

pub const EXAMPLES: [Example; 5] = [
    Example {
        name: "one",
        title: words("One address", "住所ひとつ"),
        about: words(
            "Uses the class names of h-adr, so in an existing form you replace only the script tag. Fields that you \
             typed in yourself are not overwritten.",
            "h-adrのクラス名をそのまま使います。既存のフォームではscriptタグを差し替えるだけです。ご自身で入力した欄は上書きしません。",
        ),
        try_this: words(
            "Try 1000001, 100-0001 or １０００００１; 4980000 covers towns in two prefectures; 6028368 is a town in Kyoto.",
            "例: 1000001、100-0001、１０００００１。4980000は2県にまたがります。6028368は京都の町です。",
        ),
        markup: include_str!("assets/demo/one.html"),
    },
    Example {
        name: "several",
        title: words("Several addresses in one form", "複数の住所"),
        about: words(
            "Each block fills its own fields. The first has a postal code in two fields and the address in one; the \
             second marks its fields for buildings and readings with attributes.",
            "ブロックごとに独立して入力します。郵便番号が2欄に分かれ住所が1欄のブロックと、ビル名や読みの欄を属性で指定したブロックです。",
        ),
        try_this: words(
            "Try 150 and 0002; in the second block try 1066101, a floor of a building.",
            "例: 150と0002。下のブロックでは1066101(ビルの階)。",
        ),
        markup: include_str!("assets/demo/several.html"),
    },
    Example {
        name: "search",
        title: words("Suggestions while typing", "入力の途中で候補を表示"),
        about: words(
            "Type a town, city or prefecture in kanji, hiragana, katakana or Roman letters, or the first digits of a \
             postal code. Choosing a suggestion fills all fields.",
            "町域・市区町村・都道府県を、漢字・ひらがな・カタカナ・ローマ字や郵便番号の先頭で探します。選ぶとすべての欄に入ります。",
        ),
        try_this: words(
            "Try ろっぽ, chiyoda, 港区ろっ or 530; 六本木 has several postal codes, so its parts are suggested next.",
            "例: ろっぽ、chiyoda、港区ろっ、530。六本木は郵便番号が複数あり、内訳を続けて示します。",
        ),
        markup: include_str!("assets/demo/search.html"),
    },
    Example {
        name: "invoice",
        title: words("A corporation for an invoice", "請求書の取引先"),
        about: words(
            "Type the name, reading or number of a corporation. Choosing a suggestion fills number, name and address, \
             and the invoice registration number if the data include it. The plan of the key must include corporations.",
            "法人を名称・読み・法人番号で探し、番号・名称・所在地を入力します。データにあれば適格請求書発行事業者の登録番号も入ります。法人情報を含むプランのキーが必要です。",
        ),
        try_this: words(
            "Try 鳥取銀行 or とっとりぎんこう as the name, or the corporate number 2270001000870.",
            "例: 名称に 鳥取銀行 または とっとりぎんこう。法人番号なら 2270001000870",
        ),
        markup: include_str!("assets/demo/invoice.html"),
    },
    Example {
        name: "bank",
        title: words("Bank and branch", "銀行と支店"),
        about: words(
            "Type a name, reading or code in either field; the branches are those of the chosen bank. The server \
             needs bank data.",
            "名称・読み・コードのいずれからでも選べます。支店は選んだ銀行のものです。サーバーに金融機関のデータが必要です。",
        ),
        try_this: words("Try みずほ, then まる.", "例: みずほ、続いて まる"),
        markup: include_str!("assets/demo/bank.html"),
    },
];

/// Texts of the placeholders in braces in the markup.
const LABELS: [(&str, Words); 19] = [
    ("{search}", words("Search for an address", "住所を検索")),
    ("{bank}", words("Bank", "銀行")),
    ("{bank code}", words("Bank code", "銀行コード")),
    ("{branch}", words("Branch", "支店")),
    ("{branch code}", words("Branch code", "支店コード")),
    ("{postal code}", words("Postal code", "郵便番号")),
    ("{first digits}", words("Postal code, first 3 digits", "郵便番号（上3桁）")),
    ("{last digits}", words("last 4 digits", "郵便番号（下4桁）")),
    ("{prefecture}", words("Prefecture", "都道府県")),
    ("{city}", words("City", "市区町村")),
    ("{town}", words("Town and number", "町域・番地")),
    ("{building}", words("Building and room", "建物名・部屋番号")),
    ("{address}", words("Address", "住所")),
    ("{reading}", words("Reading", "フリガナ")),
    ("{sender}", words("From", "ご依頼主")),
    ("{receiver}", words("To", "お届け先")),
    ("{corporate number}", words("Corporate number", "法人番号")),
    ("{company}", words("Name", "名称")),
    ("{invoice number}", words("Registration number", "登録番号")),
];

const CHOOSE: Words = words("Choose", "選択してください");

impl Example {
    /// The markup as the page runs it, with its labels and options.
    pub fn markup(&self, language: Language) -> String {
        let choose = format!("<option value=\"\">{}</option>", language.text(CHOOSE));
        let options = PREFECTURES.iter().map(|(_code, name)| format!("<option>{name}</option>"));
        let options: String = std::iter::once(choose).chain(options).collect();
        self.with_labels(language).replace("{prefectures}", &options)
    }

    /// The markup as the page shows it, without the 47 options of prefectures.
    pub fn source(&self, language: Language) -> String {
        self.with_labels(language).replace("{prefectures}", "…")
    }

    fn with_labels(&self, language: Language) -> String {
        LABELS.iter().fold(self.markup.to_owned(), |markup, (label, words)| {
            markup.replace(label, language.text(*words))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_label_is_filled_in_and_every_prefecture_is_listed() {
        for example in EXAMPLES {
            for language in Language::ALL {
                let markup = example.markup(language);
                assert!(!markup.contains(['{', '}']), "{}: {markup}", example.name);
            }
        }
        assert_eq!(EXAMPLES[0].markup(Language::English).matches("<option").count(), 48);
    }
}
