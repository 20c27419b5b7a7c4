// The fields of a block: which there are, what they hold, and writing into them.
//
// A field is written only while it is empty or still holds what was written here last: what a person typed stays.
// Every write sends `input` and `change`, so that frameworks notice.

import { digits, joined, partsAsked, prefectureOption, splitCode } from './text.js';

const BLOCK = '.h-adr, [data-daicho-block], form';
const FIELDS = 'input, select, textarea, output';
const JAPAN = /^(japan|jpn?|日本(国)?)$/i;

/** What was written into each field last. */
const written = new WeakMap();

/** Selects that a person has changed. */
const touched = new WeakSet();

let writing = false;

/** Whether the event at hand comes from a write of this script. */
export const isOwnEvent = () => writing;

export const touch = (field) => touched.add(field);

/** Whether the street field of h-adr suggests too, as the tag may say. */
export const options = { suggest: false };

/** The words of a field: the parts that it asks for, and whether it suggests. */
export function asked(field) {
  const attribute = field.getAttribute('data-daicho');
  const words = partsAsked(attribute, field.classList);
  return attribute == null && options.suggest && words.includes('town') ? [...words, 'search'] : words;
}

export const asks = (field, part) => asked(field).includes(part);

/** The element whose fields belong together. */
export const blockOf = (field) => field.closest(BLOCK) || document.body;

/** The fields of a block that ask for anything, without those of a block inside it. */
export function fieldsOf(block) {
  const all = [...block.querySelectorAll(FIELDS)];
  return all.filter((field) => blockOf(field) === block && asked(field).length > 0);
}

/** What the fields for a part hold, one behind the other. */
export const valueOf = (block, part) =>
  fieldsOf(block).filter((field) => asks(field, part)).map((field) => field.value).join('');

/** The digits of a code, which may be split over several fields. */
export const codeOf = (block, part) => digits(valueOf(block, part));

/** Whether the address of a block is in Japan: it says nothing of a country, or Japan. */
export function isInJapan(block) {
  const country = block.querySelector('.p-country-name, [data-daicho~="country"]');
  if (!country) return true;
  const option = country.selectedOptions && country.selectedOptions[0];
  const names = [country.value, option ? option.text : country.textContent];
  return names.some((name) => name && JAPAN.test(name.trim()));
}

/** Whether nobody but this script has put something into a field. */
export function isFree(field) {
  if (field.value === '' || field.readOnly || field.value === written.get(field)) return true;
  if (field.tagName !== 'SELECT' || touched.has(field) || written.has(field)) return false;
  // The first option, which the browser chose because nobody did.
  return field.selectedIndex === 0 && !field.options[0].defaultSelected;
}

/** What this script wrote into a field last. */
export const ownText = (field) => written.get(field);

/**
 * Writes parts into the fields of a block. `chosen` is the field in which a person chose them; it takes its part
 * whatever it holds. Returns the fields that were left as they are though they differ.
 */
export function write(block, parts, chosen) {
  const kept = [];
  const fields = fieldsOf(block);
  const codes = fields.filter((field) => asks(field, 'postal-code'));
  const code = parts['postal-code'];
  // A code stands in all of its fields or in none.
  const replaced = codes.includes(chosen) || codes.every(isFree);
  if (code != null && code !== codeOf(block, 'postal-code')) {
    const texts = splitCode(code, codes.length, codes.length === 1 && showsHyphen(codes[0]));
    if (replaced) codes.forEach((field, at) => put(field, texts[at]));
    else if (code) kept.push(...codes);
  }
  for (const field of fields) {
    if (codes.includes(field)) continue;
    const text = textFor(field, parts);
    if (text == null || isSame(field, text)) continue;
    if (field === chosen || isFree(field)) put(field, text);
    else if (text) kept.push(field);
  }
  return kept;
}

/** Whether a field holds this text; of a number it is the digits that count, however they were typed. */
function isSame(field, text) {
  if (field.value === text) return true;
  const isNumber = asked(field).some((part) => part.endsWith('-number'));
  return isNumber && text !== '' && digits(field.value) === digits(text);
}

/** The text of a field for these parts; undefined where none of them is for it. */
export function textFor(field, parts) {
  const words = asked(field);
  // Beside a part of its own a field that suggests gets that part alone.
  const names = words.length > 1 ? words.filter((word) => word !== 'search') : words;
  if (field.tagName === 'SELECT') return optionFor(field, names, parts);
  // The h-adr scripts give the number of a prefecture without a zero in front.
  if (field.classList.contains('p-region-id') && names.length === 1) {
    return parts['prefecture-code'] && String(Number(parts['prefecture-code']));
  }
  return joined(names, parts);
}

function optionFor(field, names, parts) {
  const options = [...field.options];
  const text = joined(names, parts);
  if (text == null) return undefined;
  const isPrefecture = names.some((name) => /^prefecture(-code)?$/.test(name));
  const pairs = options.map((option) => [option.value, option.text.trim()]);
  const at =
    isPrefecture && parts.prefecture
      ? prefectureOption(pairs, parts.prefecture, parts['prefecture-code'])
      : pairs.findIndex((pair) => pair.includes(text));
  return at < 0 ? undefined : options[at].value;
}

function showsHyphen(field) {
  return field.maxLength === 8 || /\d[-‐－]\d/.test(field.placeholder);
}

function put(field, text) {
  const kind = Object.getPrototypeOf(field);
  const setter = Object.getOwnPropertyDescriptor(kind, 'value');
  // Past the setter that frameworks put on the field itself, or they take the write for their own.
  if (setter && setter.set) setter.set.call(field, text);
  else field.value = text;
  writing = true;
  try {
    field.dispatchEvent(new Event('input', { bubbles: true }));
    field.dispatchEvent(new Event('change', { bubbles: true }));
  } finally {
    writing = false;
    // Behind the events: what a handler made of the text is not a person's either.
    written.set(field, field.value);
  }
}
