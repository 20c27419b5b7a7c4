// The entry point of the script tag: its `data-` attributes configure the script, which starts by itself.

import * as daicho from './daicho.js';

const TAGS = 'script[src*="/js/daicho"], script[src*="/yubinbango.js"]';

const tag = document.currentScript || document.querySelector(TAGS);
const { key, base, suggest } = tag ? tag.dataset : {};
// A page made for yubinbango.js has no key in its tag: below this path the server takes the requests of such pages.
const isOtherScript = tag && !key && /\/yubinbango\.js(?:[?#]|$)/.test(tag.src);
const home = base || (tag && new URL(isOtherScript ? 'yubinbango' : '..', tag.src).href) || '';
const begin = () => daicho.start({ key, base: home, suggest: suggest != null });

// Ignore a second tag: it would handle every event twice.
if (!window.daicho) {
  window.daicho = daicho;
  // A tag without `defer` runs before the browser has parsed the fields of the page.
  if (document.readyState === 'loading') document.addEventListener('DOMContentLoaded', begin);
  else begin();
}
