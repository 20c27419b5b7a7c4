// Finds the fields of a block, reads their values and writes to them.
//
// A field is written only if it is empty, read-only or still has the text that this script wrote last, so text that
// the user typed is not overwritten. What the user has added behind the text of this script stays behind the next one.
// The only exception is the field in which the user chooses what he typed a search for. Every write dispatches `input`
// and `change`, so that frameworks notice it.

import { all, hostOf } from './roots.js';
import { digits, joined, partsAsked, prefectureOption, splitCode } from './text.js';

const BLOCK = '.h-adr, [data-daicho-block], form';
const FIELDS = 'input, select, textarea, output';
const JAPAN = /^(japan|jpn?|日本(国)?)$/i;

/** For each field the `text` that this script wrote last, and what the user had added `behind` it. */
const written = new WeakMap();

/** Selects that the user has changed. */
const touched = new WeakSet();

let writing = false;

/** Whether the current event comes from a write of this script. */
export const isOwnEvent = () => writing;

export const touch = (field) => touched.add(field);

/** `suggest`: whether the field `p-street-address` suggests addresses too, from the attribute of the tag. */
export const options = { suggest: false };

/** The words of a field: the parts that it asks for, and `search` if it suggests addresses. */
export function asked(field) {
  const attribute = field.getAttribute('data-daicho');
  const words = partsAsked(attribute, field.classList);
  return attribute == null && options.suggest && words.includes('town') ? [...words, 'search'] : words;
}

export const asks = (field, part) => asked(field).includes(part);

/**
 * The block of a field: the nearest element around it whose fields belong together, or the shadow root with them. A
 * shadow root with one field is a component for that field, and the block is outside of it.
 */
export function blockOf(field) {
  for (let at = field; at; at = hostOf(at)) {
    const block = at.closest(BLOCK);
    if (block) return block;
    const root = at.getRootNode();
    if (root.host && hasDifferentFields(root)) return root;
  }
  return document.body;
}

function hasDifferentFields(root) {
  const texts = [...root.querySelectorAll(FIELDS)].map((field) => asked(field).join(' '));
  return new Set(texts.filter(Boolean)).size > 1;
}

/** The fields of a block that ask for a part, without the fields of a nested block. */
export const fieldsOf = (block) =>
  all(block, FIELDS).filter((field) => blockOf(field) === block && asked(field).length > 0);

/** The values of the fields for a part, joined in the order of the page. */
export const valueOf = (block, part) =>
  fieldsOf(block).filter((field) => asks(field, part)).map((field) => field.value).join('');

/** The digits of a code, which may be split over several fields. */
export const codeOf = (block, part) => digits(valueOf(block, part));

/** Whether the address of a block is in Japan: the block has no country field, or the field says Japan. */
export function isInJapan(block) {
  const [country] = all(block, '.p-country-name, [data-daicho~="country"]');
  if (!country) return true;
  const option = country.selectedOptions && country.selectedOptions[0];
  const names = [country.value, option ? option.text : country.textContent];
  return names.some((name) => name && JAPAN.test(name.trim()));
}

/** Whether the script may write to a field: it has no text of anybody else, or only behind the text of this script. */
export const isFree = (field) => added(field) != null;

/** What the user has added behind the text of this script; undefined if the whole value is the user's or the page's. */
function added(field) {
  const { value } = field;
  if (value === '' || field.readOnly || isUntouched(field)) return '';
  if (!written.has(field)) return undefined;
  const { text, behind } = written.get(field);
  if (value === text + behind) return behind;
  // A digit behind a code makes it another code.
  const mayGrow = field.tagName !== 'SELECT' && !asked(field).some((part) => /-(code|number)$/.test(part));
  return text && mayGrow && value.startsWith(text) ? value.slice(text.length) : undefined;
}

/** Whether a select has the value that the browser gave it: the first option, which counts as empty. */
function isUntouched(field) {
  if (field.tagName !== 'SELECT' || touched.has(field) || written.has(field)) return false;
  return field.selectedIndex === 0 && !field.options[0].defaultSelected;
}

/** The text that this script wrote last to a field. */
export const ownText = (field) => (written.get(field) || {}).text;

/**
 * Writes parts to the fields of a block. `searched` is the field with the text that found the parts; it is overwritten
 * whatever its value is. Returns what was kept, each with its `field` and the `text` of the user: all of its value, or
 * if it `isAdded` what is behind the new text.
 */
export function write(block, parts, searched) {
  const kept = [];
  const fields = fieldsOf(block);
  const codes = fields.filter((field) => asks(field, 'postal-code'));
  const code = parts['postal-code'];
  // A code that is split over several fields is written to all of them or to none.
  const replaced = codes.includes(searched) || codes.every(isFree);
  if (code != null && code !== codeOf(block, 'postal-code')) {
    const texts = splitCode(code, codes.length, codes.length === 1 && showsHyphen(codes[0]));
    if (replaced) codes.forEach((field, at) => put(field, texts[at]));
    else if (code) kept.push(...codes.map((field) => ({ field, text: field.value })));
  }
  for (const field of fields) {
    if (codes.includes(field)) continue;
    const text = textFor(field, parts);
    if (text == null || isSame(field, text)) continue;
    const behind = field === searched ? '' : added(field);
    if (behind == null) {
      if (text) kept.push({ field, text: field.value });
    } else if (!behind || text !== ownText(field)) {
      put(field, text, behind);
      if (behind) kept.push({ field, text: behind, isAdded: true });
    }
  }
  return kept;
}

/** Whether a field has this value. For a corporate or invoice number only the digits are compared. */
function isSame(field, text) {
  if (field.value === text) return true;
  const isNumber = asked(field).some((part) => part.endsWith('-number'));
  return isNumber && text !== '' && digits(field.value) === digits(text);
}

/** The text that a field gets from these parts; undefined if it asks for none of them. */
export function textFor(field, parts) {
  const words = asked(field);
  // With another word beside `search`, a field gets only the part of that word.
  const names = words.length > 1 ? words.filter((word) => word !== 'search') : words;
  if (field.tagName === 'SELECT') return optionFor(field, names, parts);
  // Other h-adr scripts write the number of a prefecture without a leading zero.
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

function put(field, text, behind = '') {
  const value = text + behind;
  const kind = Object.getPrototypeOf(field);
  const setter = Object.getOwnPropertyDescriptor(kind, 'value');
  // Frameworks such as React put their own setter on the element and ignore the values set through it. The setter of
  // the prototype bypasses it.
  if (setter && setter.set) setter.set.call(field, value);
  else field.value = value;
  writing = true;
  try {
    field.dispatchEvent(new Event('input', { bubbles: true, composed: true }));
    field.dispatchEvent(new Event('change', { bubbles: true }));
  } finally {
    writing = false;
    // After the events: a value that a handler reformatted counts as written by this script, too.
    const now = field.value;
    if (now.endsWith(behind)) written.set(field, { text: now.slice(0, now.length - behind.length), behind });
    else written.delete(field);
  }
}
