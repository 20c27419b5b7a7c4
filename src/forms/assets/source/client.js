// Requests to the server. The public key is in the URL, so that the browser needs no CORS preflight.
//
// Up to 200 responses are cached until the page is closed, so the same code looked up twice is one request. Every
// request asks for one version of the API, whatever version the account is set to: the modules are written for it.

const API_VERSION = '2026-08-01';
const KEPT_MAX = 200;

/** A request without an answer ends after this time. */
const TIMEOUT_MS = 10_000;

const SECRET = /dk_sec_/i;

const settings = { key: '', base: '' };
const kept = new Map();

/**
 * A failed request. `status` is the HTTP status, or 0 without a response. `code` is the API error code; without a
 * response `timeout`, `secret_key_in_page`, or empty.
 */
export class DaichoError extends Error {
  constructor(status, code, message) {
    super(message);
    this.name = 'DaichoError';
    this.status = status;
    this.code = code;
  }
}

/** Sets the key and the base URL of the server, and empties the cache. An omitted option keeps its value. */
export function configure(options) {
  if (options.key != null) settings.key = options.key;
  if (options.base != null) settings.base = options.base.replace(/\/+$/, '');
  kept.clear();
  if (holdsSecret()) console.error(secretKey().message);
}

/** Everybody can read a key in a page. So a secret key is never sent from one. */
const holdsSecret = () => SECRET.test(settings.key + settings.base);

const secretKey = () =>
  new DaichoError(
    0,
    'secret_key_in_page',
    'daicho: expected a public key (dk_pub_…); found a secret key, which everybody can read in this page: revoke it, ' +
      'and create a public key for the origin of the page',
  );

/** Returns the JSON at a path. Parameters without a value are omitted. */
export async function ask(path, parameters, signal) {
  if (holdsSecret()) throw secretKey();
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters || {})) {
    if (value != null && value !== '') query.set(name, value);
  }
  query.set('api_version', API_VERSION);
  if (settings.key) query.set('key', settings.key);
  const url = `${settings.base}${path}?${query}`;
  if (kept.has(url)) return kept.get(url);
  const answer = await send(url, signal);
  if (kept.size >= KEPT_MAX) kept.delete(kept.keys().next().value);
  kept.set(url, answer);
  return answer;
}

async function send(url, signal) {
  const { response, text } = await fetched(url, signal);
  let body;
  try {
    body = JSON.parse(text);
  } catch {
    body = {};
  }
  if (!response.ok) {
    const detail = body.detail || body.title || response.statusText;
    throw new DaichoError(response.status, body.code || '', `daicho: ${response.status} ${body.code || ''}: ${detail}`);
  }
  if (!body.data) throw new DaichoError(response.status, '', `daicho: expected JSON from ${server()}; found another text`);
  return withoutClaims(body, response.headers.get('Daicho-Notice') || '');
}

const server = () => settings.base || 'this server';

/**
 * Whether a request that failed gets an answer that this page may not read. The server lets only the origins of its keys
 * read answers, so from another one the browser hides the error too.
 */
async function answersOthers(url) {
  if (new URL(url, location.href).origin === location.origin) return false;
  const options = { mode: 'no-cors', credentials: 'omit', referrerPolicy: 'origin' };
  const seconds = new Promise((go) => setTimeout(go, TIMEOUT_MS, false));
  return Promise.race([fetch(url, options).then(() => true, () => false), seconds]);
}

/** The response with its whole text. A server that stops amid the text is too late as well. */
async function fetched(url, signal) {
  const request = new AbortController();
  const stop = () => request.abort();
  let isLate = false;
  const timer = setTimeout(() => {
    isLate = true;
    stop();
  }, TIMEOUT_MS);
  if (signal) {
    signal.addEventListener('abort', stop);
    if (signal.aborted) stop();
  }
  try {
    // The server checks whether the key is registered for the origin of the page. A same-origin GET has no `Origin`
    // header, so the server reads the referrer, which the page's own referrer policy might remove.
    const response = await fetch(url, { signal: request.signal, credentials: 'omit', referrerPolicy: 'origin' });
    return { response, text: await response.text() };
  } catch (error) {
    if (signal && signal.aborted) throw error;
    if (isLate) {
      throw new DaichoError(0, 'timeout', `daicho: no answer from ${server()} within ${TIMEOUT_MS / 1000} seconds`);
    }
    if (await answersOthers(url)) {
      throw new DaichoError(
        0,
        'origin_not_allowed',
        `daicho: origin_not_allowed: the server answers, but not to pages of ${location.origin}: register this origin for the key`,
      );
    }
    throw new DaichoError(0, '', `daicho: no answer from ${server()}: ${error.message}`);
  } finally {
    clearTimeout(timer);
    if (signal) signal.removeEventListener('abort', stop);
  }
}

/** A record without the number of an invoice issuer, if the server has no register that says who is one. */
function withoutClaims(body, notice) {
  if (body.data && notice.includes('no register of invoice issuers')) delete body.data.qualified_invoice_issuer_number;
  return body;
}

/** Like `ask`, but returns null if the server does not know the code (404). */
export async function find(path, parameters, signal) {
  try {
    return await ask(path, parameters, signal);
  } catch (error) {
    const isUnknown = error.status === 404 && /^no_such_(?!endpoint|version)/.test(error.code);
    if (isUnknown) return null;
    throw error;
  }
}
