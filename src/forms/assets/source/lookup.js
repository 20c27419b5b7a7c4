// Codes that are complete once they have so many digits, and the choices that the server knows for each.

import { find } from './client.js';
import { asked, codeOf } from './fields.js';
import { bankOf, branchOf, corporationOf, placesOf } from './text.js';

/** The places of a postal code; none where it is not known. */
export async function places(code, signal) {
  const answer = await find(`/v1/postalcode/${code}`, {}, signal);
  return answer ? placesOf(answer.data) : [];
}

/** The corporation of a number, alone in a list; an empty list where there is none. */
export async function corporations(number, signal) {
  const answer = await find(`/v1/houjinbangou/${number}`, {}, signal);
  return answer ? [corporationOf(answer.data)] : [];
}

/** Digits match the beginning of codes; the whole code is one bank, or several branches that share it. */
async function withCode(path, parameters, choice, signal) {
  const answer = await find(path, parameters, signal);
  return answer ? answer.data.filter((row) => row.code === parameters.q).map(choice) : [];
}

/** The branches of a code in the bank of the block; none before there is a bank. */
function branches(q, signal, block) {
  const bank = bankIn(block);
  return bank ? withCode('/v1/suggest/branch', { q, bank }, branchOf, signal) : [];
}

/** The code of the bank in a block; empty while it is not complete. */
export function bankIn(block) {
  const code = codeOf(block, 'bank-code');
  return code.length === LOOKUPS['bank-code'].length ? code : '';
}

/** By the part that a field asks for. */
export const LOOKUPS = {
  'postal-code': { length: 7, find: places },
  'corporate-number': { length: 13, find: corporations },
  'bank-code': {
    length: 4,
    find: (q, signal) => withCode('/v1/suggest/bank', { q }, bankOf, signal),
  },
  'branch-code': { length: 3, find: branches },
};

/** The part of a field that is looked up once its code is complete. */
export const lookupOf = (field) => asked(field).find((part) => part in LOOKUPS);
