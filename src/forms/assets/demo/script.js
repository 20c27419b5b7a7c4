// Shows below each form the last event of its block, as the page's own script would get it.
'use strict';
const texts = {
  fill: ({ choices }) => choices.map((choice) => choice.label).join(' / '),
  none: ({ code }) => code,
  error: ({ error }) => error.message,
};
for (const [what, text] of Object.entries(texts)) {
  document.addEventListener(`daicho:${what}`, ({ target, detail }) => {
    const place = target.closest('section').querySelector('.told');
    place.textContent = `daicho:${what} ${text(detail)}`;
  });
}
