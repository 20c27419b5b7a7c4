// Pure functions on texts: they read digits as people type them, turn a record into the parts of an address, and join
// parts into the text of a field. They use neither the page nor the network, so node tests them without a browser.

/** The digits of a text, half-width. Full-width digits are converted; all other characters are dropped. */
export const digits = (text) => text.normalize('NFKC').replace(/[^0-9]/g, '');

/** The end of a word that asks for a reading in other letters than full-width katakana. */
const WRITTEN = /-(hiragana|half-kana)$/;

/** The order of the parts in a written address. A field with several parts joins them in this order. */
const ORDER = [
  'prefecture-code',
  'prefecture',
  'city',
  'town',
  'building',
  'prefecture-kana',
  'city-kana',
  'town-kana',
  'search',
];

const rank = (part) => ORDER.indexOf(part.replace(WRITTEN, '-kana'));

/** The words of `data-daicho` that stand for several parts. */
const SHORT = {
  address: ['prefecture', 'city', 'town'],
  'address-kana': ['prefecture-kana', 'city-kana', 'town-kana'],
  'address-hiragana': ['prefecture-hiragana', 'city-hiragana', 'town-hiragana'],
  'address-half-kana': ['prefecture-half-kana', 'city-half-kana', 'town-half-kana'],
};

/** The class names of h-adr. `p-extended-address` is left out on purpose: the user enters building and room. */
const CLASSES = {
  'p-postal-code': 'postal-code',
  'p-region-id': 'prefecture-code',
  'p-region': 'prefecture',
  'p-locality': 'city',
  'p-street-address': 'town',
  'p-country-name': 'country',
};

/** The parts that a field asks for, from its attribute if it has one, else from its class names. */
export function partsAsked(attribute, classes) {
  const words =
    attribute == null
      ? [...classes].map((name) => CLASSES[name]).filter(Boolean)
      : attribute.split(/\s+/).filter(Boolean);
  const asked = [...new Set(words.flatMap((word) => SHORT[word] || [word]))];
  return asked.sort((one, other) => rank(one) - rank(other));
}

/** The text of a field that asks for these parts; undefined if none of them is known. */
export function joined(asked, parts) {
  const known = asked.map((name) => partOf(name, parts)).filter((part) => part != null);
  return known.length ? known.join('') : undefined;
}

/** The text of one part: readings in the letters that its name asks for. */
function partOf(name, parts) {
  const [ending, letters] = WRITTEN.exec(name) || [];
  if (!letters) return parts[name];
  const kana = parts[name.replace(ending, '-kana')];
  return kana && (letters === 'hiragana' ? hiragana(kana) : halfKana(kana));
}

/** Katakana in hiragana; other letters stay. */
export const hiragana = (text) =>
  text.replace(/[ァ-ヶ]/g, (letter) => String.fromCharCode(letter.charCodeAt(0) - 0x60));

/** Full-width letters by their half-width forms, in the order of Unicode. A voiced letter is two half-width ones. */
const HALF = new Map();
for (let code = 0xff61; code <= 0xff9d; code += 1) {
  const half = String.fromCharCode(code);
  for (const mark of ['', 'ﾞ', 'ﾟ']) {
    const whole = (half + mark).normalize('NFKC');
    if (whole.length === 1) HALF.set(whole, half + mark);
  }
}

/** Katakana, digits, Latin letters and marks in half-width forms; other letters stay. */
export const halfKana = (text) =>
  [...text].map((letter) => HALF.get(letter) || (/[！-～　]/.test(letter) ? letter.normalize('NFKC') : letter)).join('');

/** A postal record as a choice: its parts, and a label that distinguishes it from the other records of the code. */
export function placeOf(record) {
  const business = record.corporation;
  // The source has the address of a business in two columns; together they have all of it, Kyoto street names too.
  const town = business ? record.town_raw + business.block_lot : record.town;
  const parts = {
    'postal-code': record.postal_code,
    ...areaOf(record),
    town,
    'town-kana': record.town_kana,
    building: business ? '' : record.building + record.floor,
    business: business ? business.name : '',
    'business-kana': business ? business.name_kana : '',
  };
  const label = [record.prefecture, record.city, town, parts.building].join('');
  return { label: business ? `${label} ${business.name}` : label, parts };
}

/** Prefecture and municipality of a record or of a suggestion. A suggested prefecture has no code. */
export function areaOf(record) {
  const code = record.jisx0402 || undefined;
  return {
    'prefecture-code': code && code.slice(0, 2),
    'city-code': code,
    prefecture: record.prefecture,
    'prefecture-kana': record.prefecture_kana,
    city: record.city,
    'city-kana': record.city_kana,
  };
}

/** The choices for a code: its records, without those whose label repeats that of an earlier one. */
export function placesOf(records) {
  const places = new Map();
  for (const record of records) {
    const place = placeOf(record);
    if (!places.has(place.label)) places.set(place.label, place);
  }
  return [...places.values()];
}

/** A corporate record (API version 2024-01-01 and later) as a choice. */
export function corporationOf(record) {
  const { address, qualified_invoice_issuer_number: invoice } = record;
  return {
    label: `${record.name} ${address.prefecture}${address.city}${address.street_number}`,
    parts: {
      'corporate-number': record.corporate_number,
      'invoice-number': invoice || '',
      company: record.name,
      'company-kana': record.furigana,
      'postal-code': address.postal_code || '',
      ...areaOf({ ...address, prefecture_kana: undefined, city_kana: undefined }),
      town: address.street_number,
    },
  };
}

/** A row of suggested addresses as a choice. */
export function suggestedPlace(row) {
  const code = row.postal_code || '';
  return {
    label: row.text,
    marked: row.highlight,
    note: code && `〒${splitCode(code, 1, true)}`,
    parent: row.parent,
    isPart: row.level === 'part',
    isUnfinished: row.level === 'prefecture' || row.level === 'city',
    parts: {
      'postal-code': code,
      ...areaOf(row),
      town: row.town,
      'town-kana': row.town_kana,
      building: '',
      business: '',
      'business-kana': '',
      search: row.text,
    },
  };
}

/** A row of suggested corporations as a choice. */
export function suggestedCorporation(row) {
  const area = row.prefecture + row.city;
  return {
    label: row.text,
    marked: row.highlight,
    note: area,
    isClosed: row.closed,
    parts: {
      company: row.name,
      'company-kana': row.furigana,
      'corporate-number': row.corporate_number,
      'postal-code': row.postal_code || '',
      prefecture: row.prefecture,
      city: row.city,
      town: row.address.startsWith(area) ? row.address.slice(area.length) : row.address,
    },
  };
}

/** A bank as a choice. It empties the branch fields, because they may have a branch of another bank. */
export function bankOf(row) {
  const parts = { bank: row.text, 'bank-code': row.code, 'bank-kana': row.katakana };
  return {
    label: row.text,
    marked: row.highlight,
    note: row.code,
    parts: { ...parts, branch: '', 'branch-code': '', 'branch-kana': '' },
  };
}

/** A branch as a choice. */
export function branchOf(row) {
  const parts = { branch: row.text, 'branch-code': row.code, 'branch-kana': row.katakana };
  return { label: row.text, marked: row.highlight, note: row.code, parts };
}

/**
 * The text to request suggestions for, or an empty one. Text that an input method still composes may end in letters
 * that the next key turns into kana: they are dropped. A postal code needs at least three digits.
 */
export function typedText(text, isComposing) {
  const typed = isComposing ? text.replace(/[a-zａ-ｚ]+$/i, '').trim() : text.trim();
  const isShortCode = /^[〒0-9０-９‐－-]*$/.test(typed) && digits(typed).length < 3;
  return isShortCode ? '' : typed;
}

/** The parts that all choices share. A part in which they differ is empty. */
export function common(choices) {
  const parts = {};
  for (const name of Object.keys(choices[0].parts)) {
    const value = choices[0].parts[name];
    parts[name] = choices.every((choice) => choice.parts[name] === value) ? value : '';
  }
  return parts;
}

/** Splits a postal code for a number of fields: 3 and 4 digits, or all in one field, with a hyphen if `hyphen`. */
export function splitCode(code, fields, hyphen) {
  if (!code) return Array(fields).fill('');
  if (fields > 1) return [code.slice(0, 3), code.slice(3), ...Array(fields - 2).fill('')];
  return [hyphen ? `${code.slice(0, 3)}-${code.slice(3)}` : code];
}

/** The prefectures in Roman letters, in the order of their codes. */
const ROMAN = (
  'Hokkaido Aomori Iwate Miyagi Akita Yamagata Fukushima Ibaraki Tochigi Gunma Saitama Chiba Tokyo Kanagawa Niigata ' +
  'Toyama Ishikawa Fukui Yamanashi Nagano Gifu Shizuoka Aichi Mie Shiga Kyoto Osaka Hyogo Nara Wakayama Tottori ' +
  'Shimane Okayama Hiroshima Yamaguchi Tokushima Kagawa Ehime Kochi Fukuoka Saga Nagasaki Kumamoto Oita Miyazaki ' +
  'Kagoshima Okinawa'
).split(' ');

/** Roman letters without case, other letters, and the ways to write a long o: Tōkyō, Toukyou, Ohsaka. */
const plain = (text) =>
  text.normalize('NFKD').toLowerCase().replace(/[^a-z]/g, '').replace(/o[ouh]/g, 'o').replace('mm', 'nm');

/** The tests for the option of a prefecture, the most reliable first: an option may have a number of its own. */
function prefectureTests(name, code) {
  const short = name.replace(/[都府県]$/, '');
  const names = [(text) => text === name, (text) => text === short];
  if (!code) return names;
  const roman = plain(ROMAN[code - 1] || '-');
  const isRoman = new RegExp(`^${roman}(to|fu|ken|pref|prefecture|metropolis)?$`);
  const isCode = new RegExp(`^(jp)?[-_ ]?0?${Number(code)}$`, 'i');
  return [...names, (text) => roman !== '' && isRoman.test(plain(text)), (text) => isCode.test(text.normalize('NFKC'))];
}

/** The index of the option for a prefecture among [value, text] pairs; -1 if there is none. */
export function prefectureOption(options, name, code) {
  for (const isIt of prefectureTests(name, code)) {
    const at = options.findIndex((pair) => pair.some((text) => isIt(text.trim())));
    if (at >= 0) return at;
  }
  return -1;
}

/** Splits a text at pairs of offsets into pieces, each [piece, whether it is marked]. */
export function pieces(text, marked) {
  const found = [];
  let end = 0;
  for (const [from, to] of marked || []) {
    if (from > end) found.push([text.slice(end, from), false]);
    found.push([text.slice(from, to), true]);
    end = to;
  }
  if (end < text.length) found.push([text.slice(end), false]);
  return found;
}
