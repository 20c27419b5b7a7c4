// Looks up a complete code and fills the fields of its block. If the code has several places, fills the parts that
// all of them share and offers the places as a list.

import * as combobox from './combobox.js';
import { asks, blockOf, codeOf, fieldsOf, isFree, isInJapan, textFor, write } from './fields.js';
import { LOOKUPS, lookupOf } from './lookup.js';
import { common } from './text.js';
import { wordsOf } from './words.js';

/**
 * The state of each block. By part: the code looked up last (`codes`), its request (`requests`), and the parts that it
 * filled, with empty values, to clear them if the next code is unknown (`filled`). `choices` are the choices still to
 * make and `part` is the part whose code has them. `near` is the code of the municipality or prefecture whose
 * suggestions rank first.
 */
const states = new WeakMap();

export function stateOf(block) {
  if (!states.has(block)) states.set(block, { codes: {}, requests: {}, filled: {}, choices: [], part: '' });
  return states.get(block);
}

/** Looks up the code in a field if it is complete and differs from the last one. */
export async function codeTyped(field, part) {
  const block = blockOf(field);
  const state = stateOf(block);
  const code = codeOf(block, part);
  const isComplete = code.length === LOOKUPS[part].length && isInJapan(block);
  if (isComplete && state.codes[part] === code) return;
  state.codes[part] = isComplete ? code : '';
  state.choices = [];
  if (state.requests[part]) state.requests[part].abort();
  if (combobox.isOpen(field)) combobox.close();
  if (!isComplete) return;
  const request = (state.requests[part] = new AbortController());
  try {
    const choices = await LOOKUPS[part].find(code, request.signal, block);
    if (!request.signal.aborted) answered(block, part, code, choices);
  } catch (error) {
    if (request.signal.aborted) return;
    // Forget the code, so that the next input event looks it up again.
    state.codes[part] = '';
    failed(block, error);
  }
}

/** Fills a block from the choices that a code has. Returns the choices. */
export function answered(block, part, code, choices) {
  const words = wordsOf(block);
  if (!choices.length) {
    write(block, stateOf(block).filled[part] || {});
    tell(block, 'none', { part, code });
    combobox.say(block, words.none);
    return choices;
  }
  const parts = common(choices);
  const kept = write(block, parts);
  stateOf(block).near = parts['city-code'] || parts['prefecture-code'];
  const blank = Object.keys(parts).filter((name) => !(name in LOOKUPS)).map((name) => [name, '']);
  stateOf(block).filled[part] = Object.fromEntries(blank);
  const differing = fieldsOf(block).filter((field) => differs(field, choices) && isFree(field));
  Object.assign(stateOf(block), { part, choices: differing.length ? choices : [] });
  tell(block, 'fill', { part, code, choices, kept });
  if (!differing.length) {
    const said = [words.filled(choices[0].label)];
    if (kept.length) said.push(words.kept);
    combobox.say(block, said.join(' '));
    return choices;
  }
  const active = block.ownerDocument.activeElement;
  differing.forEach((field) => field.tagName === 'SELECT' || combobox.prepare(field));
  const isHere = active && blockOf(active) === block && (asks(active, part) || differing.includes(active));
  if (isHere) offer(active);
  combobox.say(block, (isHere ? words.towns : words.later)(choices.length));
  return choices;
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

/** Fills a block with the choice that the user made in one of its fields. */
export function chosen(field, choice) {
  const block = blockOf(field);
  const state = stateOf(block);
  state.choices = [];
  state.near = choice.parts['city-code'] || choice.parts['prefecture-code'];
  const kept = write(block, choice.parts, field);
  for (const part of Object.keys(LOOKUPS)) {
    // A code that came with the choice need not be looked up again.
    if (choice.parts[part] === codeOf(block, part)) state.codes[part] = choice.parts[part];
  }
  tell(block, 'fill', { choices: [choice], kept });
  const words = wordsOf(field);
  combobox.say(field, [words.filled(choice.label), kept.length ? words.kept : ''].join(' ').trim());
}

/** Reports an error to the page as `daicho:error`, and to the console for the developer of the page. */
export function failed(block, error) {
  tell(block, 'error', { error });
  console.warn(error.message);
}

function tell(block, what, detail) {
  block.dispatchEvent(new CustomEvent(`daicho:${what}`, { bubbles: true, detail }));
}

/** Whether a field gets different texts from the choices. */
function differs(field, choices) {
  const texts = new Set(choices.map((choice) => textFor(field, choice.parts)));
  return texts.size > 1;
}
