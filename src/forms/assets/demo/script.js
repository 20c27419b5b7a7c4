// Shows under each form the event that its block sent last: what a page's own script would get.
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
