//! The members of a school, as answers and exports have them: the same in every API version.

use crate::dataset::address::{Address, TEXT_ADDRESS, TextAddress};
use crate::dataset::former_name::{FoundBy, OtherName};
use crate::dataset::member::shape::Shape::{List, OneNumber, Pattern, Text};
use crate::dataset::member::shape::{Columns, DATE_OR_NULL, SCHOOL_CODE};
use crate::dataset::member::{Ascii, Codes, Day, Digits, InList, OrEmpty, members, non_empty};
use crate::dataset::school::record::SchoolView;

members! {
    /// A school.
    pub const SCHOOL: "School" of it: SchoolView<'_>;
    "code": SCHOOL_CODE => it.code(), "School code", "学校コード";
    "type": Pattern("^[A-H][0-9]$") => Ascii(type_code(it)), "Type of school (学校種): A1 幼稚園, A2 幼保連携型認定こども園, B1 小学校, C1 中学校, C2 義務教育学校, D1 高等学校, D2 中等教育学校, E1 特別支援学校, F1 大学, F2 短期大学, G1 高等専門学校, H1 専修学校, H2 各種学校", "学校種。A1は幼稚園、A2は幼保連携型認定こども園、B1は小学校、C1は中学校、C2は義務教育学校、D1は高等学校、D2は中等教育学校、E1は特別支援学校、F1は大学、F2は短期大学、G1は高等専門学校、H1は専修学校、H2は各種学校";
    "jurisdiction_prefecture_code": Pattern("^[0-9]{2}$") => Digits::<2>(it.prefecture().into()), "The responsible prefecture; the address may be in another one", "所管都道府県のコード。所在地は別の都道府県のこともある";
    "establishment_type": OneNumber(&[1, 2, 3]) => it.establishment(), "1 national, 2 public, 3 private", "設置区分。1は国立、2は公立、3は私立";
    "branch": OneNumber(&[1, 2, 9]) => it.branch(), "1 main school, 2 branch, 9 closed", "本分校。1は本校、2は分校、9は廃校";
    "name": Text => it.name(), "Name", "学校名";
    "address_raw": Text => it.address_raw(), "Address as published", "所在地（公表のまま）";
    "addresses": List(&TEXT_ADDRESS) => InList(it.address().map(|view| TextAddress(Address::stored(view)))), "The address in parts, or empty", "構成要素に分けた所在地。なければ空", columns Columns::named("address");
    "established_date": DATE_OR_NULL => it.established().map(Day), "属性情報設定年月日", "属性情報設定年月日";
    "abolished_date": DATE_OR_NULL => it.abolished().map(Day), "属性情報廃止年月日", "属性情報廃止年月日";
    "school_survey_number": Text => OrEmpty(non_empty(it.survey_number())), "Number of the school in the older school survey (学校調査番号), or empty", "旧学校調査番号。なければ空", columns Columns::NULLABLE;
    "new_code": List(&SCHOOL_CODE) => Codes(it.new_codes()), "Codes of the schools that it became part of", "移行後の学校コード";
    ..FoundBy { FoundBy(it.former_name().map(OtherName::Former)) };
}

/// A letter and a digit, such as A1.
pub fn type_code(it: SchoolView<'_>) -> [u8; 2] {
    let kind = it.school_type();
    [b'A' - 1 + kind / 10, b'0' + kind % 10]
}
