// What the user is told. Every text goes to screen readers. What needs the user's eyes also stands in a note at the
// field: an unknown code, a server that does not answer, the text that was kept. Only one note is shown at a time.
//
// The note lets clicks through, because it may cover the label or the field above.

import { closest } from './roots.js';
import { addStyle } from './style.js';
import { wordsOf } from './words.js';

/** How long an answer may take until the user is told to wait. */
const WAITING_MS = 2_000;

/** A note disappears after this time, or when the user types in its field. */
const SHOWN_MS = 20_000;

const MARGIN = 4;

let status;
let note;
/** The field of the note that is shown, or null, and the timer of its end. */
let noted = null;
let timer;

/** Announces a text to screen readers. */
export function say(field, text) {
  prepareStatus(field);
  status.lang = wordsOf(field).lang;
  status.textContent = text;
}

/** Creates the elements once: a screen reader announces only changes of an element that it knows. */
export function prepareStatus(field) {
  if (!status) {
    addStyle(document);
    status = document.createElement('div');
    status.className = 'daicho-status';
    status.setAttribute('role', 'status');
    note = document.createElement('div');
    note.className = 'daicho-note';
    note.setAttribute('popover', 'manual');
    // Screen readers have the text from the status.
    note.setAttribute('aria-hidden', 'true');
    note.hidden = true;
    addEventListener('scroll', place, { capture: true, passive: true });
    addEventListener('resize', place);
    addEventListener('pointerdown', place, true);
  }
  // A modal dialog makes everything outside of it inert.
  const home = closest(field, 'dialog') || document.body;
  if (status.parentNode === home) return;
  hide();
  home.append(note, status);
}

/** Announces a text, and shows it at the field. */
export function show(field, text) {
  say(field, text);
  hide();
  noted = field;
  note.lang = status.lang;
  note.textContent = text;
  note.hidden = false;
  if (note.showPopover) note.showPopover();
  timer = setTimeout(hide, SHOWN_MS);
  place();
}

/** Hides the note; with a field only if it is the note of this field. */
export function hide(field = noted) {
  if (!noted || field !== noted) return;
  noted = null;
  clearTimeout(timer);
  if (note.hidePopover && note.matches(':popover-open')) note.hidePopover();
  note.hidden = true;
}

/** Waits for an answer, and tells the user to wait too if it takes long. */
export async function waiting(field, answer) {
  let isShown = false;
  const soon = setTimeout(() => {
    isShown = true;
    show(field, wordsOf(field).waiting);
  }, WAITING_MS);
  try {
    return await answer;
  } finally {
    clearTimeout(soon);
    if (isShown) hide(field);
  }
}

/** Places the note above its field, or below it if there is no room above. */
function place() {
  if (!noted) return;
  const field = noted.getBoundingClientRect();
  // The page has removed or hidden the field.
  if (!field.width) return hide();
  const { clientWidth: width } = document.documentElement;
  const above = field.top - note.offsetHeight - MARGIN;
  note.style.left = `${Math.max(MARGIN, Math.min(field.left, width - MARGIN - note.offsetWidth))}px`;
  note.style.top = `${above < 0 ? field.bottom + MARGIN : above}px`;
}
