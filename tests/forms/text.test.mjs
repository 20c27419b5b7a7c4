// Tests of the script's modules without DOM, run by node's test runner.

import assert from 'node:assert/strict';
import test from 'node:test';

import * as text from '../../src/forms/assets/source/text.js';

const record = (more) => ({
  jisx0402: '13103',
  postal_code: '1060032',
  prefecture: '東京都',
  prefecture_kana: 'トウキョウト',
  city: '港区',
  city_kana: 'ミナトク',
  town: '六本木',
  town_kana: 'ロッポンギ',
  town_raw: '六本木',
  koaza: '',
  kyoto_street: '',
  building: '',
  floor: '',
  corporation: null,
  ...more,
});

test('digits are read in every width', () => {
  for (const [typed, expected] of [
    ['1000001', '1000001'],
    ['100-0001', '1000001'],
    ['〒１００－０００１', '1000001'],
    [' 100 ‐ 00 01 ', '1000001'],
    ['１００ー０００１', '1000001'],
    ['T5010401067252', '5010401067252'],
    ['ろっぽんぎ', ''],
    ['٣٤', ''],
    ['', ''],
  ]) {
    assert.equal(text.digits(typed), expected, typed);
  }
});

test('the role of a field comes from its attribute, else from its classes', () => {
  const check = (attribute, classes, expected) =>
    assert.deepEqual(text.partsAsked(attribute, classes), expected);
  check(null, [], []);
  check(null, ['p-postal-code', 'wide'], ['postal-code']);
  check(null, ['p-extended-address'], []);
  check(null, ['p-extended-address', 'p-street-address', 'p-region'], ['prefecture', 'town']);
  check('', ['p-region'], []);
  check('town', ['p-region'], ['town']);
  check('  city prefecture city ', [], ['prefecture', 'city']);
  check('address', [], ['prefecture', 'city', 'town']);
  check('address building', [], ['prefecture', 'city', 'town', 'building']);
  check('address-kana', [], ['prefecture-kana', 'city-kana', 'town-kana']);
});

test('the parts of a field are joined, and a field without a known part is left out', () => {
  const parts = { prefecture: '東京都', city: '港区', town: '' };
  assert.equal(text.joined(['prefecture', 'city', 'town'], parts), '東京都港区');
  assert.equal(text.joined(['town'], parts), '');
  assert.equal(text.joined(['building'], parts), undefined);
  assert.equal(text.joined([], parts), undefined);
});

test('a code of one town is one place, whatever koaza and streets it has', () => {
  const places = text.placesOf([
    record(),
    record({ koaza: '１丁目' }),
    record({ kyoto_street: '寺町通' }),
  ]);
  assert.equal(places.length, 1);
  assert.equal(places[0].label, '東京都港区六本木');
  assert.equal(places[0].parts['prefecture-code'], '13');
  assert.equal(places[0].parts['town-kana'], 'ロッポンギ');
});

test('towns, floors and businesses of a code are separate places', () => {
  const business = (name) =>
    record({ town_raw: '六本木', corporation: { name, block_lot: '１丁目６－１', code_type: 0 } });
  const places = text.placesOf([
    record({ town: '麻布台' }),
    record({ building: '泉ガーデンタワー', floor: '１階' }),
    business('台帳商事'),
    business('台帳銀行'),
  ]);
  assert.deepEqual(
    places.map((place) => place.label),
    [
      '東京都港区麻布台',
      '東京都港区六本木泉ガーデンタワー１階',
      '東京都港区六本木１丁目６－１ 台帳商事',
      '東京都港区六本木１丁目６－１ 台帳銀行',
    ],
  );
  assert.equal(places[1].parts.town, '六本木');
  assert.equal(places[1].parts.building, '泉ガーデンタワー１階');
  assert.equal(places[2].parts.town, '六本木１丁目６－１');
  assert.equal(places[2].parts.building, '');
  const parts = text.common(places);
  assert.deepEqual([parts.city, parts.town, parts.building], ['港区', '', '']);
});

test('a street of Kyoto stays before the lot of a business', () => {
  const corporation = { name: '台帳', block_lot: '七観音町６３４', code_type: 0 };
  const [place] = text.placesOf([record({ town: '七観音町', town_raw: '烏丸通六角下る', corporation })]);
  assert.equal(place.parts.town, '烏丸通六角下る七観音町６３４');
});

test('a code is split among its fields', () => {
  assert.deepEqual(text.splitCode('1000001', 1, false), ['1000001']);
  assert.deepEqual(text.splitCode('1000001', 1, true), ['100-0001']);
  assert.deepEqual(text.splitCode('1000001', 2, false), ['100', '0001']);
  assert.deepEqual(text.splitCode('1000001', 3, true), ['100', '0001', '']);
});

test('the option of a prefecture is found by name, by short name and by code', () => {
  const at = (options, name = '京都府', code = '26') => text.prefectureOption(options, name, code);
  assert.equal(at([['', '選択'], ['東京都', '東京都'], ['京都府', '京都府']]), 2);
  assert.equal(at([['1', '東京'], ['2', '京都']]), 1);
  assert.equal(at([['13', 'Tokyo'], ['26', 'Kyoto']]), 1);
  assert.equal(at([['JP-26', 'Kyoto']]), 0);
  assert.equal(at([['1', 'Hokkaido']], '北海道', '01'), 0);
  // The name wins if a number means another prefecture.
  assert.equal(at([['26', '大阪府'], ['27', '京都府']]), 1);
  assert.equal(at([['a', 'b']]), -1);
  assert.equal(at([]), -1);
});

test('the option of a prefecture is found in Roman letters and in codes of JIS', () => {
  const at = (option, name = '東京都', code = '13') => text.prefectureOption([['', '-'], option], name, code);
  for (const written of [
    'Tokyo', 'TOKYO', 'Tōkyō', 'Toukyou', 'Tokyo-to', 'Tokyo Metropolis', '13 Tokyo', 'JP13', 'JP-13', 'jp_13', '１３',
  ]) {
    assert.equal(at([written, 'x']), 1, written);
    assert.equal(at(['x', ` ${written} `]), 1, written);
  }
  for (const written of ['Kyoto', 'JP14', '113', '130', 'East Tokyo', '']) assert.equal(at([written, written]), -1, written);
  for (const [written, name, code] of [
    ['Hyōgo', '兵庫県', '28'], ['Ohsaka', '大阪府', '27'], ['Kouchi', '高知県', '39'], ['Gumma', '群馬県', '10'],
    ['Hokkaidou', '北海道', '01'], ['JP01', '北海道', '01'], ['Ooita Prefecture', '大分県', '44'],
  ]) {
    assert.equal(at([written, ''], name, code), 1, written);
  }
  // Letters win over a number, which may be the page's own.
  assert.equal(text.prefectureOption([['13', 'Kanagawa'], ['14', 'Tokyo']], '東京都', '13'), 1);
});

test('readings are written in hiragana and in half-width kana', () => {
  assert.equal(text.hiragana('トウキョウト（ヴ）ー1丁目'), 'とうきょうと（ゔ）ー1丁目');
  assert.equal(text.halfKana('ガギグパピプヴー・。「ア」　１Ａ漢字'), 'ｶﾞｷﾞｸﾞﾊﾟﾋﾟﾌﾟｳﾞｰ･｡｢ｱ｣ 1A漢字');
  const parts = { 'city-kana': 'ミナトク', 'town-kana': '', 'company-kana': undefined };
  assert.equal(text.joined(['city-hiragana', 'town-hiragana'], parts), 'みなとく');
  assert.equal(text.joined(['city-half-kana'], parts), 'ﾐﾅﾄｸ');
  assert.equal(text.joined(['town-half-kana'], parts), '');
  assert.equal(text.joined(['company-hiragana'], parts), undefined);
  const asked = text.partsAsked('address-half-kana', []);
  assert.deepEqual(asked, ['prefecture-half-kana', 'city-half-kana', 'town-half-kana']);
});

test('a corporation has its parts', () => {
  const choice = text.corporationOf({
    corporate_number: '6010001999901',
    name: '株式会社台帳',
    furigana: 'ダイチョウ',
    qualified_invoice_issuer_number: null,
    address: {
      postal_code: null,
      jisx0402: '13101',
      prefecture: '東京都',
      prefecture_kana: '',
      city: '千代田区',
      city_kana: '',
      street_number: '大手町１丁目２番３号',
    },
  });
  assert.equal(choice.label, '株式会社台帳 東京都千代田区大手町１丁目２番３号');
  assert.equal(choice.parts['postal-code'], '');
  assert.equal(choice.parts['invoice-number'], '');
  // `undefined`: a field for this part keeps its value, because the record has no city kana.
  assert.equal(text.joined(['city-kana'], choice.parts), undefined);
});

test('marked pieces join to the text', () => {
  const check = (whole, marked, expected) => {
    const found = text.pieces(whole, marked);
    assert.deepEqual(found, expected);
    assert.equal(found.map(([piece]) => piece).join(''), whole);
  };
  check('六本木', undefined, [['六本木', false]]);
  check('六本木', [], [['六本木', false]]);
  check('東京都港区六本木', [[5, 7]], [['東京都港区', false], ['六本', true], ['木', false]]);
  check('𠮷田町', [[0, 2]], [['𠮷', true], ['田町', false]]);
  check('港区港南', [[0, 1], [2, 3]], [['港', true], ['区', false], ['港', true], ['南', false]]);
  check('', [], []);
});

const suggested = (more) => ({
  text: '東京都港区六本木',
  postal_code: '1060032',
  jisx0402: '13103',
  prefecture: '東京都',
  prefecture_kana: 'トウキョウト',
  city: '港区',
  city_kana: 'ミナトク',
  town: '六本木',
  town_kana: 'ロッポンギ',
  level: 'town',
  match: 'reading',
  highlight: [[5, 8]],
  codes: 1,
  parent: null,
  ...more,
});

test('a suggested place has the parts of its level', () => {
  const town = text.suggestedPlace(suggested());
  assert.equal(town.note, '〒106-0032');
  assert.deepEqual([town.isUnfinished, town.isPart, town.parent], [false, false, null]);
  assert.equal(text.joined(['prefecture', 'city', 'town'], town.parts), '東京都港区六本木');
  assert.equal(text.joined(['search'], town.parts), '東京都港区六本木');
  assert.equal(town.parts['city-code'], '13103');
  const several = text.suggestedPlace(suggested({ postal_code: null, codes: 90, parent: '13103六本木' }));
  assert.deepEqual([several.note, several.parts['postal-code'], several.parent], ['', '', '13103六本木']);
  const prefecture = text.suggestedPlace(
    suggested({ postal_code: null, jisx0402: null, city: '', town: '', level: 'prefecture' }),
  );
  assert.equal(prefecture.isUnfinished, true);
  // `undefined`: a field for this part keeps its value, because the row has no prefecture code.
  assert.equal(text.joined(['prefecture-code'], prefecture.parts), undefined);
  assert.equal(text.prefectureOption([['13', 'Tokyo'], ['x', '東京都']], '東京都', undefined), 1);
});

test('the town of a suggested corporation is its address after the municipality', () => {
  const row = {
    text: 'トヨタ自動車株式会社',
    corporate_number: '1180301018771',
    name: 'トヨタ自動車株式会社',
    furigana: 'トヨタジドウシャ',
    postal_code: '4718571',
    prefecture: '愛知県',
    city: '豊田市',
    address: '愛知県豊田市トヨタ町１番地',
    closed: false,
    match: 'prefix',
    highlight: [[0, 3]],
  };
  const open = text.suggestedCorporation(row);
  assert.equal(open.parts.town, 'トヨタ町１番地');
  assert.deepEqual([open.note, open.isClosed], ['愛知県豊田市', false]);
  const closed = text.suggestedCorporation({ ...row, closed: true, address: '海外' });
  assert.equal(closed.parts.town, '海外');
  assert.equal(closed.isClosed, true);
});

test('another bank empties the branch', () => {
  const row = { text: '台帳銀行', code: '0001', katakana: 'ダイチヨウ', highlight: [] };
  assert.deepEqual(text.bankOf(row).parts, {
    bank: '台帳銀行',
    'bank-code': '0001',
    'bank-kana': 'ダイチヨウ',
    branch: '',
    'branch-code': '',
    'branch-kana': '',
  });
  assert.equal('bank' in text.branchOf({ ...row, text: '本店', code: '001' }).parts, false);
});

test('typed text is searched once it is longer than a digit or two and without unfinished letters', () => {
  for (const [typed, isComposing, expected] of [
    [' ちよだ ', false, 'ちよだ'],
    ['chi', false, 'chi'],
    ['ちよｄ', true, 'ちよ'],
    ['ちよｄ', false, 'ちよｄ'],
    ['ｃ', true, ''],
    ['1', false, ''],
    ['10', false, ''],
    ['〒１０', false, ''],
    ['100', false, '100'],
    ['100-', false, '100-'],
    ['1丁目', false, '1丁目'],
    ['', false, ''],
    ['　', false, ''],
  ]) {
    assert.equal(text.typedText(typed, isComposing), expected, `${typed} ${isComposing}`);
  }
});
