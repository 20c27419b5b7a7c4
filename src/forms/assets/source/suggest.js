// Suggestions: what a field asks for while a person types, and what a choice among the rows of the answer does.

import { chosen, failed, stateOf } from './block.js';
import { ask } from './client.js';
import * as combobox from './combobox.js';
import { asked, blockOf, codeOf, isInJapan, ownText } from './fields.js';
import { bankIn, corporations, LOOKUPS, lookupOf, places } from './lookup.js';
import { bankOf, branchOf, suggestedCorporation, suggestedPlace, typedText } from './text.js';
import { wordsOf } from './words.js';

/** A person who types on is not asked for. */
const PAUSE_MS = 120;

/** As many as the server gives: a town may have hundreds, and the first letters of a name narrow them. */
const PARTS_MAX = 20;

/** How the row of a kind becomes a choice, and where the rest of what is chosen is found. */
const KINDS = {
  address: { choice: suggestedPlace, whole: wholePlace },
  corporation: { choice: suggestedCorporation, whole: wholeCorporation },
  bank: { choice: bankOf },
  branch: { choice: branchOf },
};

/** The kind that the word of a field stands for. */
const WORDS = { search: 'address', company: 'corporation', bank: 'bank', branch: 'branch' };

/** Of each field: the pause and the request for what was typed last. */
const pending = new WeakMap();

/** The choice that was taken last in a field. */
const taken = new WeakMap();

export const kindOf = (field) => WORDS[asked(field).find((part) => part in WORDS)];

/** The choices for what was typed, best first. */
export async function suggestions(kind, typed, { limit, near, parent, bank, signal } = {}) {
  const answer = await ask(`/v1/suggest/${kind}`, { q: typed, limit, near, parent, bank }, signal);
  return answer.data.map(KINDS[kind].choice);
}

/** Asks for suggestions once the person pauses. */
export function textTyped(field, isComposing) {
  forget(field);
  const block = blockOf(field);
  const part = lookupOf(field);
  if (part && codeOf(block, part).length === LOOKUPS[part].length) return;
  const { typed, parent } = wanted(field, isComposing);
  if (!typed || (kindOf(field) === 'address' && !isInJapan(block))) {
    if (combobox.isOpen(field)) combobox.close();
    return;
  }
  const request = new AbortController();
  const timer = setTimeout(() => offer(field, typed, parent, request.signal), PAUSE_MS);
  pending.set(field, { request, timer });
}

/** What the text of a field asks for; nothing behind a text that was filled in, since a lot number is the person's. */
function wanted(field, isComposing) {
  const own = ownText(field);
  const { isUnfinished, parent } = taken.get(field) || {};
  if (!own || isUnfinished || !field.value.startsWith(own)) return { typed: typedText(field.value, isComposing) };
  // Behind a town of several codes a name is that of one of its parts.
  const behind = typedText(field.value.slice(own.length), isComposing);
  return parent && !/^[0-9０-９]/.test(behind) ? { typed: behind, parent } : {};
}

function forget(field) {
  const { timer, request } = pending.get(field) || {};
  clearTimeout(timer);
  if (request) request.abort();
}

async function offer(field, typed, parent, signal) {
  const block = blockOf(field);
  const kind = kindOf(field);
  const { near } = kind === 'address' ? stateOf(block) : {};
  const bank = kind === 'branch' ? bankIn(block) : undefined;
  if (bank === '') return;
  try {
    const limit = parent && PARTS_MAX;
    const choices = await suggestions(kind, typed, { limit, near, parent, bank, signal });
    if (signal.aborted || document.activeElement !== field) return;
    combobox.close();
    if (choices.length) combobox.show(field, choices, (choice) => take(field, choice));
    const words = wordsOf(field);
    combobox.say(field, choices.length ? words.choices(choices.length) : words.none);
  } catch (error) {
    if (!signal.aborted) failed(block, error);
  }
}

/** Fills the block with a choice, unless the person types on; of a town of several codes the parts follow. */
async function take(field, choice) {
  forget(field);
  const request = new AbortController();
  pending.set(field, { request });
  const { whole } = KINDS[kindOf(field)];
  const found = whole ? await whole(choice, request.signal).catch(() => null) : null;
  if (request.signal.aborted) return;
  taken.set(field, choice);
  chosen(field, found || choice);
  if (choice.parent) offer(field, '', choice.parent, request.signal);
}

/** A part of a town by its code: the suggestion does not tell the building in it. */
async function wholePlace(choice, signal) {
  if (!choice.isPart || !choice.parts['postal-code']) return null;
  const [place, another] = await places(choice.parts['postal-code'], signal);
  if (!place || another) return null;
  return { ...place, parts: { ...place.parts, search: choice.parts.search } };
}

async function wholeCorporation(choice, signal) {
  return (await corporations(choice.parts['corporate-number'], signal))[0];
}
