// The functions that a page's own script may call.

import { answered } from './block.js';
import { configure, DaichoError } from './client.js';
import { blockOf, codeOf, options as fieldOptions } from './fields.js';
import { corporations, places } from './lookup.js';
import { suggestions } from './suggest.js';
import { digits } from './text.js';
import { attach, watch } from './watch.js';

let isWatching = false;

/** Sets the key and the server, starts watching the page, and prepares the fields that exist already. */
export function start(options = {}) {
  configure(options);
  fieldOptions.suggest = Boolean(options.suggest);
  if (!isWatching) watch();
  isWatching = true;
  attach();
}

/** Returns the places of a postal code in any spelling; an empty list if the code is unknown or incomplete. */
export async function lookup(code, { signal } = {}) {
  const wanted = digits(code);
  return wanted.length === 7 ? places(wanted, signal) : [];
}

/** Returns the corporation with a number of 13 digits, or null. */
export async function corporation(number, { signal } = {}) {
  const wanted = digits(number);
  const found = wanted.length === 13 ? await corporations(wanted, signal) : [];
  return found[0] || null;
}

/** Returns suggestions for typed text. `kind` is address, corporation, bank or branch (which needs `bank`, a code). */
export const suggest = (kind, typed, options) => suggestions(kind, typed, options);

/** Fills the block of an element from a postal code, by default the one in its fields. Returns the places. */
export async function fill(element, code) {
  const block = element.matches('input, select, textarea') ? blockOf(element) : element;
  const wanted = digits(code == null ? codeOf(block, 'postal-code') : code);
  const choices = await lookup(wanted);
  return answered(block, 'postal-code', wanted, choices);
}

export { attach, configure, DaichoError };
