// Codes that are complete once they have so many digits, and the choices that the server knows for each.

import { find } from './client.js';
import { corporationOf, placesOf } from './text.js';

/** The places of a postal code; none where it is not known. */
export async function places(code, signal) {
  const answer = await find(`/v1/postalcode/${code}`, signal);
  return answer ? placesOf(answer.data) : [];
}

/** The corporation of a number, alone in a list; an empty list where there is none. */
export async function corporations(number, signal) {
  const answer = await find(`/v1/houjinbangou/${number}`, signal);
  return answer ? [corporationOf(answer.data)] : [];
}

/** By the part that a field asks for. */
export const LOOKUPS = {
  'postal-code': { length: 7, find: places },
  'corporate-number': { length: 13, find: corporations },
};
