// What happens in a block: a complete code is looked up and fills the fields; where it has several places, what they
// have in common is filled and the rest is offered as a list.

import * as combobox from './combobox.js';
import { asks, blockOf, codeOf, fieldsOf, isFree, isInJapan, textFor, write } from './fields.js';
import { LOOKUPS, lookupOf } from './lookup.js';
import { common } from './text.js';
import { wordsOf } from './words.js';

/**
 * Of each block: by part the code looked up last, its request and the parts it filled, made empty; the choices left
 * and the part that they are of; the municipality near which suggestions are wanted.
 */
const states = new WeakMap();

export function stateOf(block) {
  if (!states.has(block)) states.set(block, { codes: {}, requests: {}, filled: {}, choices: [], part: '' });
  return states.get(block);
}

/** Looks the code of a field up, if it is complete and another one than before. */
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
    // The next key, or the same code again, asks anew.
    state.codes[part] = '';
    failed(block, error);
  }
}

/** Fills a block with what is known of a code. Returns the choices. */
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

/** Opens the choices still to make under a field that takes part in them. Returns whether there are any. */
export function offer(field) {
  const block = blockOf(field);
  const { choices, part } = stateOf(block);
  const takes = lookupOf(field) === part || (isFree(field) && differs(field, choices));
  if (!choices.length || !takes || field.tagName === 'SELECT') return false;
  combobox.show(field, choices, (choice) => chosen(field, choice));
  return true;
}

/** Fills a block with what a person chose in a field of it. */
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

/** Tells the page of an error, and the console, for who builds the page. */
export function failed(block, error) {
  tell(block, 'error', { error });
  console.warn(error.message);
}

function tell(block, what, detail) {
  block.dispatchEvent(new CustomEvent(`daicho:${what}`, { bubbles: true, detail }));
}

/** Whether a field gets one text from one choice and another from another. */
function differs(field, choices) {
  const texts = new Set(choices.map((choice) => textFor(field, choice.parts)));
  return texts.size > 1;
}
