// Search in the page: sections without the words are hidden. Printing opens every answer.
'use strict';
const field = document.querySelector('#search');
const sections = [...document.querySelectorAll('main section')];
const none = document.querySelector('#none');
field.hidden = false;
field.addEventListener('input', () => {
  const words = field.value.normalize('NFKC').toLowerCase().split(/\s+/).filter(Boolean);
  let shown = 0;
  for (const section of sections) {
    const text = section.textContent.normalize('NFKC').toLowerCase();
    const found = words.every((word) => text.includes(word));
    section.classList.toggle('hidden', !found);
    shown += found ? 1 : 0;
  }
  none.hidden = shown > 0;
});
addEventListener('beforeprint', () => {
  for (const part of document.querySelectorAll('details')) part.open = true;
});
