// The script as a tag: its `data-` attributes configure it, and it starts by itself.

import * as daicho from './daicho.js';

const tag = document.currentScript || document.querySelector('script[src*="/js/daicho"]');
const { key, base, suggest } = tag ? tag.dataset : {};
const home = base || (tag && new URL('..', tag.src).href) || '';
const begin = () => daicho.start({ key, base: home, suggest: suggest != null });

// A second tag would only do everything twice.
if (!window.daicho) {
  window.daicho = daicho;
  // The fields of the page are there once it is read; a tag without `defer` stands before them.
  if (document.readyState === 'loading') document.addEventListener('DOMContentLoaded', begin);
  else begin();
}
