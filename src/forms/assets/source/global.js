// The entry point of the script tag: its `data-` attributes configure the script, which starts by itself.

import * as daicho from './daicho.js';

const tag = document.currentScript || document.querySelector('script[src*="/js/daicho"]');
const { key, base, suggest } = tag ? tag.dataset : {};
const home = base || (tag && new URL('..', tag.src).href) || '';
const begin = () => daicho.start({ key, base: home, suggest: suggest != null });

// Ignore a second tag: it would handle every event twice.
if (!window.daicho) {
  window.daicho = daicho;
  // A tag without `defer` runs before the browser has parsed the fields of the page.
  if (document.readyState === 'loading') document.addEventListener('DOMContentLoaded', begin);
  else begin();
}
