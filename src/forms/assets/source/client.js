// Questions to the server, with a public key in the URL so that no preflight is needed.
//
// An answer is kept for as long as the page lives: the same code asked twice is one request. Names and readings are
// as of one version of the API, whatever version the account is set to.

const API_VERSION = '2026-08-01';
const KEPT_MAX = 200;

const settings = { key: '', base: '' };
const kept = new Map();

/** Why a question has no answer. `status` is 0 where no server answered; `code` is that of the error, if it has one. */
export class DaichoError extends Error {
  constructor(status, code, message) {
    super(message);
    this.name = 'DaichoError';
    this.status = status;
    this.code = code;
  }
}

/** Sets key and address of the server; what is not named stays. */
export function configure(options) {
  if (options.key != null) settings.key = options.key;
  if (options.base != null) settings.base = options.base.replace(/\/+$/, '');
  kept.clear();
}

/** The answer to a path with parameters; empty ones are left out. */
export async function ask(path, parameters, signal) {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters || {})) {
    if (value != null && value !== '') query.set(name, value);
  }
  query.set('api_version', API_VERSION);
  query.set('key', settings.key);
  const url = `${settings.base}${path}?${query}`;
  if (kept.has(url)) return kept.get(url);
  const answer = await send(url, signal);
  if (kept.size >= KEPT_MAX) kept.delete(kept.keys().next().value);
  kept.set(url, answer);
  return answer;
}

async function send(url, signal) {
  let response;
  try {
    // The server tells by the origin whether the key may be used here; a request to the page's own origin has it
    // in the referrer alone, which the page's policy may have taken away.
    response = await fetch(url, { signal, credentials: 'omit', referrerPolicy: 'origin' });
  } catch (error) {
    if (signal && signal.aborted) throw error;
    throw new DaichoError(0, '', `daicho: no answer from ${settings.base || 'this server'}: ${error.message}`);
  }
  const body = await response.json().catch(() => ({}));
  if (response.ok) return body;
  const detail = body.detail || body.title || response.statusText;
  throw new DaichoError(response.status, body.code || '', `daicho: ${response.status} ${body.code || ''}: ${detail}`);
}

/** The answer, or null where the server knows nothing of the code asked for. */
export async function find(path, parameters, signal) {
  try {
    return await ask(path, parameters, signal);
  } catch (error) {
    const isUnknown = error.status === 404 && /^no_such_(?!endpoint|version)/.test(error.code);
    if (isUnknown) return null;
    throw error;
  }
}
