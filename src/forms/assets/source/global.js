// The script as a tag: its `data-` attributes configure it, and it starts by itself.

import * as daicho from './daicho.js';

const tag = document.currentScript || document.querySelector('script[src*="/js/daicho"]');
const { key, base } = tag ? tag.dataset : {};
const begin = () => daicho.start({ key, base: base || (tag && new URL('..', tag.src).href) || '' });

window.daicho = daicho;

// The fields of the page are there once it is read; a tag without `defer` stands before them.
if (document.readyState === 'loading') document.addEventListener('DOMContentLoaded', begin);
else begin();
