// Looks up codes. Each kind of code has a fixed number of digits; the server returns the choices for a complete code.

import { find } from './client.js';
import { asked, codeOf } from './fields.js';
import { bankOf, branchOf, corporationOf, placesOf } from './text.js';

/** Returns the places of a postal code; an empty list if it is unknown. */
export async function places(code, signal) {
  const answer = await find(`/v1/postalcode/${code}`, {}, signal);
  return answer ? placesOf(answer.data) : [];
}

/** Returns a list with the corporation of a number; an empty list if there is none. */
export async function corporations(number, signal) {
  const answer = await find(`/v1/houjinbangou/${number}`, {}, signal);
  return answer ? [corporationOf(answer.data)] : [];
}

/**
 * Returns the choices whose code is `q`: one bank, or several branches that share the code. The server also returns
 * other matches, such as codes that only begin with `q`.
 */
async function withCode(path, parameters, choice, signal) {
  const answer = await find(path, parameters, signal);
  return answer ? answer.data.filter((row) => row.code === parameters.q).map(choice) : [];
}

/** Returns the branches with a code, of the bank in the block; an empty list while the block has no bank code. */
function branches(q, signal, block) {
  const bank = bankIn(block);
  return bank ? withCode('/v1/suggest/branch', { q, bank }, branchOf, signal) : [];
}

/** The bank code in a block; empty while it is incomplete. */
export function bankIn(block) {
  const code = codeOf(block, 'bank-code');
  return code.length === LOOKUPS['bank-code'].length ? code : '';
}

/** The number of digits and the look-up function of each code, by the part that a field asks for. */
export const LOOKUPS = {
  'postal-code': { length: 7, find: places },
  'corporate-number': { length: 13, find: corporations },
  'bank-code': {
    length: 4,
    find: (q, signal) => withCode('/v1/suggest/bank', { q }, bankOf, signal),
  },
  'branch-code': { length: 3, find: branches },
};

/** The part of a field that this module can look up, if it has one. */
export const lookupOf = (field) => asked(field).find((part) => part in LOOKUPS);
