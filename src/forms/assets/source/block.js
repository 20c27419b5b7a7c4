// Looks up a complete code and fills the fields of its block. If the code has several places, fills the parts that
// all of them share and offers the places as a list.

import * as combobox from './combobox.js';
import { asks, blockOf, codeOf, fieldsOf, isFree, isInJapan, textFor, write } from './fields.js';
import { LOOKUPS, lookupOf } from './lookup.js';
import { isActive } from './roots.js';
import { common } from './text.js';
import { hide, say, show, waiting } from './told.js';
import { wordsOf } from './words.js';

/**
 * The state of each block. By part: the code looked up last (`codes`), its request (`requests`), the code whose request
 * failed (`failed`), and the parts that came with it, with empty values, to clear them if the next code is unknown
 * (`filled`). `choices` are the choices still to make and `part` is the part whose code has them. `near` is the code of
 * the municipality or prefecture whose suggestions rank first.
 */
const states = new WeakMap();

export function stateOf(block) {
  if (!states.has(block)) states.set(block, { codes: {}, requests: {}, failed: {}, filled: {}, choices: [], part: '' });
  return states.get(block);
}

/**
 * Looks up the code in a field if it is complete and differs from the last one. After a failure the same code is looked
 * up again if it is typed again, but not because the field loses the focus (`isLeft`).
 */
export async function codeTyped(field, part, isLeft) {
  const block = blockOf(field);
  const state = stateOf(block);
  const code = codeOf(block, part);
  const { length, find } = LOOKUPS[part];
  const isComplete = code.length >= length && isInJapan(block);
  if (isComplete && (state.codes[part] === code || (isLeft && state.failed[part] === code))) return;
  state.codes[part] = isComplete ? code : '';
  state.choices = [];
  if (state.requests[part]) state.requests[part].abort();
  if (combobox.isOpen(field)) combobox.close();
  hide(field);
  if (!isComplete) return;
  if (code.length > length) return void answered(block, part, code, []);
  const request = (state.requests[part] = new AbortController());
  try {
    const choices = await waiting(field, find(code, request.signal, block));
    if (!request.signal.aborted) answered(block, part, code, choices);
  } catch (error) {
    if (request.signal.aborted) return;
    state.codes[part] = '';
    state.failed[part] = code;
    failed(field, error);
  }
}

/** Fills a block from the choices that a code has. Returns the choices. */
export function answered(block, part, code, choices) {
  const words = wordsOf(block);
  const fields = fieldsOf(block);
  const field = fields.find((it) => asks(it, part) && isActive(it)) || fields.find((it) => asks(it, part)) || fields[0];
  if (!choices.length) {
    write(block, stateOf(block).filled[part] || {});
    tell(block, 'none', { part, code });
    const { length } = LOOKUPS[part];
    if (field) show(field, code.length > length ? words.length(length) : words.none);
    return choices;
  }
  const parts = common(choices);
  const kept = write(block, parts);
  stateOf(block).near = parts['city-code'] || parts['prefecture-code'];
  remember(block, part, parts);
  const differing = fields.filter((it) => differs(it, choices) && isFree(it));
  Object.assign(stateOf(block), { part, choices: differing.length ? choices : [] });
  tellFilled(block, { part, code, choices, kept });
  if (!differing.length) {
    if (field) sayFilled(field, choices[0], kept);
    return choices;
  }
  differing.forEach((it) => it.tagName === 'SELECT' || combobox.prepare(it));
  const active = fields.find(isActive);
  const isHere = active && (asks(active, part) || differing.includes(active));
  if (isHere) offer(active);
  say(differing[0], (isHere ? words.towns : words.later)(choices.length));
  return choices;
}

/** Remembers which parts came with a code. */
function remember(block, part, parts) {
  const names = Object.keys(parts).filter((name) => name !== part);
  stateOf(block).filled[part] = Object.fromEntries(names.map((name) => [name, '']));
}

/**
 * Opens the list of the choices still to make under a field, if the field has their code, or is free and gets
 * different texts from them. Returns whether the list was opened.
 */
export function offer(field) {
  const block = blockOf(field);
  const { choices, part } = stateOf(block);
  const takes = lookupOf(field) === part || (isFree(field) && differs(field, choices));
  if (!choices.length || !takes || field.tagName === 'SELECT') return false;
  combobox.show(field, choices, (choice) => chosen(field, choice));
  return true;
}

/** Fills a block with the choice that the user made in one of its fields; `isSearched` if its text found the choice. */
export function chosen(field, choice, isSearched) {
  const block = blockOf(field);
  const state = stateOf(block);
  state.choices = [];
  state.near = choice.parts['city-code'] || choice.parts['prefecture-code'];
  const kept = write(block, choice.parts, isSearched ? field : undefined);
  for (const part of Object.keys(LOOKUPS)) {
    // A code that came with the choice need not be looked up again.
    if (choice.parts[part] === codeOf(block, part)) state.codes[part] = choice.parts[part];
  }
  // The number of a corporation stands for all of its parts, also for its postal code.
  const part = ['corporate-number', ...Object.keys(LOOKUPS)].find((name) => choice.parts[name]);
  if (part) remember(block, part, choice.parts);
  tellFilled(block, { choices: [choice], kept });
  sayFilled(field, choice, kept);
}

/** Reports an error to the page as `daicho:error`, to the user, and to the console for the developer of the page. */
export function failed(field, error) {
  tell(blockOf(field), 'error', { error });
  console.warn(error.message);
  const words = wordsOf(field);
  // Only the developer of the page can cure these, and needs the whole text.
  const isOfPage = ['origin_not_allowed', 'secret_key_in_page'].includes(error.code);
  const why = isOfPage ? error.message : error.code || error.status || 'network';
  show(field, error.code === 'timeout' ? words.late : words.failed(why));
}

const TEXT_MAX = 40;

/** Says what was filled, and shows what was kept. */
function sayFilled(field, choice, kept) {
  const words = wordsOf(field);
  const said = [words.filled(choice.label)];
  for (const [isAdded, sentence] of [[true, words.added], [false, words.kept]]) {
    const texts = kept.filter((it) => Boolean(it.isAdded) === isAdded).map((it) => it.text.trim().slice(0, TEXT_MAX));
    if (texts.length) said.push(sentence([...new Set(texts)].join(' / ')));
  }
  (kept.length ? show : say)(field, said.join(' '));
}

function tellFilled(block, { kept, ...rest }) {
  tell(block, 'fill', { ...rest, kept: kept.map((it) => it.field) });
}

function tell(block, what, detail) {
  block.dispatchEvent(new CustomEvent(`daicho:${what}`, { bubbles: true, composed: true, detail }));
}

/** Whether a field gets different texts from the choices. */
function differs(field, choices) {
  const texts = new Set(choices.map((choice) => textFor(field, choice.parts)));
  return texts.size > 1;
}
