// Suggestions: requests them while the user types, and fills the block with the chosen one.

import { chosen, failed, stateOf } from './block.js';
import { ask } from './client.js';
import * as combobox from './combobox.js';
import { asked, blockOf, codeOf, isInJapan, ownText } from './fields.js';
import { bankIn, corporations, LOOKUPS, lookupOf, places } from './lookup.js';
import { isActive } from './roots.js';
import { bankOf, branchOf, suggestedCorporation, suggestedPlace, typedText } from './text.js';
import { say, waiting } from './told.js';
import { wordsOf } from './words.js';

/** Suggestions are requested after a pause of this length, not after every key. */
const PAUSE_MS = 120;

/** The maximum of the server. A town may have hundreds of parts; the first letters of a name narrow the list. */
const PARTS_MAX = 20;

/** For each kind: how a row of the response becomes a choice, and how to fetch the parts that the row does not have. */
const KINDS = {
  address: { choice: suggestedPlace, whole: wholePlace },
  corporation: { choice: suggestedCorporation, whole: wholeCorporation },
  bank: { choice: bankOf },
  branch: { choice: branchOf },
};

/** The kind of suggestion for each word of a field. */
const WORDS = { search: 'address', company: 'corporation', bank: 'bank', branch: 'branch' };

/** The timer of the pause and the request of each field, for the text typed last. */
const pending = new WeakMap();

/** The last choice made in each field. */
const taken = new WeakMap();

export const kindOf = (field) => WORDS[asked(field).find((part) => part in WORDS)];

/** Returns the choices for typed text, best first. */
export async function suggestions(kind, typed, { limit, near, parent, bank, signal } = {}) {
  const answer = await ask(`/v1/suggest/${kind}`, { q: typed, limit, near, parent, bank }, signal);
  return answer.data.map(KINDS[kind].choice);
}

/** Requests suggestions once the user pauses. */
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

/**
 * The text to request suggestions for, and the town to request parts of. Both are undefined after a filled-in text,
 * because the user goes on with a lot number or a department.
 */
function wanted(field, isComposing) {
  const own = ownText(field);
  const { isUnfinished, parent } = taken.get(field) || {};
  if (!own || isUnfinished || !field.value.startsWith(own)) return { typed: typedText(field.value, isComposing) };
  // After a town with several postal codes, text other than a number is the name of one of its parts.
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
    const choices = await waiting(field, suggestions(kind, typed, { limit, near, parent, bank, signal }));
    if (signal.aborted || !isActive(field)) return;
    combobox.close();
    if (choices.length) combobox.show(field, choices, (choice) => take(field, choice));
    const words = wordsOf(field);
    say(field, choices.length ? words.choices(choices.length) : words.none);
  } catch (error) {
    if (!signal.aborted) failed(field, error);
  }
}

/** Fills the block with a choice, unless the user types on. A town with several codes then offers its parts. */
async function take(field, choice) {
  forget(field);
  const request = new AbortController();
  pending.set(field, { request });
  const { whole } = KINDS[kindOf(field)];
  let failure;
  const found = whole && (await waiting(field, whole(choice, request.signal)).catch((error) => void (failure = error)));
  if (request.signal.aborted) return;
  taken.set(field, choice);
  chosen(field, found || choice, true);
  if (failure) failed(field, failure);
  if (choice.parent) offer(field, '', choice.parent, request.signal);
}

/** Looks up a part of a town by its postal code, because a suggestion does not have the building of the code. */
async function wholePlace(choice, signal) {
  if (!choice.isPart || !choice.parts['postal-code']) return null;
  const [place, another] = await places(choice.parts['postal-code'], signal);
  if (!place || another) return null;
  return { ...place, parts: { ...place.parts, search: choice.parts.search } };
}

async function wholeCorporation(choice, signal) {
  return (await corporations(choice.parts['corporate-number'], signal))[0];
}
