use super::*;

#[test]
fn widths_become_one() {
    #[track_caller]
    fn check(text: &str, expected: &str) {
        assert_eq!(folded(text, Level::Width), expected, "{text:?}");
    }
    check("ＡＢｃ１２３－４　５", "ABc123-4 5");
    check("ｶﾞｷﾞｸﾞﾊﾟﾊﾞｳﾞｱﾞ", "ガギグパバヴア゛");
    check("か\u{3099}は\u{309a}", "がぱ");
    check("㈱①㎡㍿Ⅳ", "(株)1m2株式会社IV");
    check("\u{fa19}\u{2f08}", "神人");
    check("葛\u{e0100}飾\u{fe00}", "葛飾");
}
