// Requests to the server. The public key is in the URL, so that the browser needs no CORS preflight.
//
// Up to 200 responses are cached until the page is closed, so the same code looked up twice is one request. Every
// request asks for one version of the API, whatever version the account is set to: the modules are written for it.

const API_VERSION = '2026-08-01';
const KEPT_MAX = 200;

const settings = { key: '', base: '' };
const kept = new Map();

/** A failed request. `status` is the HTTP status, or 0 without a response; `code` is the API error code, or empty. */
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
}

/** Returns the JSON at a path. Parameters without a value are omitted. */
export async function ask(path, parameters, signal) {
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
  let response;
  try {
    // The server checks whether the key is registered for the origin of the page. A same-origin GET has no `Origin`
    // header, so the server reads the referrer, which the page's own referrer policy might remove.
    response = await fetch(url, { signal, credentials: 'omit', referrerPolicy: 'origin' });
  } catch (error) {
    if (signal && signal.aborted) throw error;
    throw new DaichoError(0, '', `daicho: no answer from ${settings.base || 'this server'}: ${error.message}`);
  }
  const body = await response.json().catch(() => ({}));
  if (response.ok) return withoutClaims(body, response.headers.get('Daicho-Notice') || '');
  const detail = body.detail || body.title || response.statusText;
  throw new DaichoError(response.status, body.code || '', `daicho: ${response.status} ${body.code || ''}: ${detail}`);
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
