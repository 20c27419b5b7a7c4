// The list under a field: a combobox with a listbox after ARIA 1.2, of which a page shows one at a time.
//
// The focus stays in the field; `aria-activedescendant` names the choice that the arrows are at. Keys that belong to
// an input method are left to it.

import { addStyle } from './style.js';
import { pieces } from './text.js';
import { wordsOf } from './words.js';

const MARGIN = 8;
const HEIGHT_MAX = 320;

let list;
let status;
/** What is open: the field, its choices, what to do with the one chosen, and where the arrows are. */
let open = null;

/** Tells a field's readers that it may open a list. */
export function prepare(field) {
  make(field);
  if (field.getAttribute('role') === 'combobox') return;
  field.setAttribute('role', 'combobox');
  field.setAttribute('aria-autocomplete', 'list');
  field.setAttribute('aria-haspopup', 'listbox');
  field.setAttribute('aria-expanded', 'false');
}

export const isOpen = (field) => open !== null && open.field === field;

/** Opens the list under a field. A choice has `label`, perhaps `marked` (pairs of offsets), `note` and `isClosed`. */
export function show(field, choices, choose) {
  close();
  prepare(field);
  open = { field, choices, choose, at: -1 };
  list.replaceChildren(...choices.map(option));
  list.setAttribute('aria-label', wordsOf(field).list);
  list.hidden = false;
  if (list.showPopover) list.showPopover();
  field.setAttribute('aria-expanded', 'true');
  field.setAttribute('aria-controls', list.id);
  place();
}

export function close() {
  if (!open) return;
  const { field } = open;
  open = null;
  field.setAttribute('aria-expanded', 'false');
  field.removeAttribute('aria-activedescendant');
  field.removeAttribute('aria-controls');
  if (list.hidePopover && list.matches(':popover-open')) list.hidePopover();
  list.hidden = true;
}

/** Says something to who hears the page. */
export function say(field, text) {
  make(field);
  status.lang = wordsOf(field).lang;
  status.textContent = text;
}

/** Acts on a key in the field whose list is open. Returns whether the key was for the list alone. */
export function press(event) {
  if (!open || event.isComposing || event.keyCode === 229) return false;
  if (event.ctrlKey || event.metaKey) return false;
  const last = open.choices.length - 1;
  switch (event.key) {
    case 'ArrowDown':
      return go(open.at < last ? open.at + 1 : 0);
    case 'ArrowUp':
      if (event.altKey) return close(), true;
      return go(open.at > 0 ? open.at - 1 : last);
    case 'Home':
      // Without a choice these two move in the text, as in any field.
      return open.at >= 0 && !event.shiftKey && go(0);
    case 'End':
      return open.at >= 0 && !event.shiftKey && go(last);
    case 'Enter':
      if (open.at >= 0) return take(open.at);
      close();
      return false;
    case 'Tab':
      if (open.at >= 0 && !event.shiftKey) take(open.at);
      close();
      return false;
    case 'Escape':
      close();
      return true;
    default:
      return false;
  }
}

function go(at) {
  open.at = at;
  [...list.children].forEach((item, index) => item.setAttribute('aria-selected', String(index === at)));
  const item = list.children[at];
  open.field.setAttribute('aria-activedescendant', item.id);
  item.scrollIntoView({ block: 'nearest' });
  return true;
}

function take(at) {
  const { choices, choose } = open;
  close();
  choose(choices[at]);
  return true;
}

function option(choice, at) {
  const item = document.createElement('li');
  item.id = `daicho-choice-${at}`;
  item.setAttribute('role', 'option');
  item.setAttribute('aria-selected', 'false');
  for (const [text, isMarked] of pieces(choice.label, choice.marked)) {
    const piece = isMarked ? document.createElement('mark') : document.createTextNode('');
    piece.textContent = text;
    item.append(piece);
  }
  // A corporation abroad has no municipality to note.
  const note = (choice.note || '') + (choice.isClosed ? wordsOf(open.field).closed : '');
  if (note) {
    const behind = document.createElement('small');
    // A screen reader reads label and note as two words.
    behind.textContent = ` ${note}`;
    item.append(behind);
  }
  return item;
}

/** List and status, made once; in a dialog they must stand in it, because all else is out of reach there. */
function make(field) {
  addStyle();
  const home = field.closest('dialog') || document.body;
  if (!list) {
    list = document.createElement('ul');
    list.id = 'daicho-list';
    list.className = 'daicho-list';
    list.setAttribute('role', 'listbox');
    list.setAttribute('popover', 'manual');
    list.hidden = true;
    // The focus stays in the field.
    list.addEventListener('pointerdown', (event) => event.preventDefault());
    list.addEventListener('mousedown', (event) => event.preventDefault());
    list.addEventListener('click', (event) => {
      const item = event.target.closest('li');
      if (open && item) take([...list.children].indexOf(item));
    });
    addEventListener('scroll', place, { capture: true, passive: true });
    addEventListener('resize', place);
    status = document.createElement('div');
    status.className = 'daicho-status';
    status.setAttribute('role', 'status');
  }
  if (list.parentNode !== home) home.append(list, status);
}

/** Puts the list under the field, or above where there is more room, within the window. */
function place() {
  if (!open) return;
  const field = open.field.getBoundingClientRect();
  const { clientWidth: width, clientHeight: height } = document.documentElement;
  const [below, above] = [height - field.bottom - MARGIN, field.top - MARGIN];
  const isAbove = below < Math.min(HEIGHT_MAX, list.scrollHeight) && above > below;
  const style = list.style;
  style.minWidth = `${Math.min(field.width, width - 2 * MARGIN)}px`;
  style.maxWidth = `${width - 2 * MARGIN}px`;
  style.maxHeight = `${Math.max(80, Math.min(HEIGHT_MAX, isAbove ? above : below))}px`;
  style.left = `${Math.max(MARGIN, Math.min(field.left, width - MARGIN - list.offsetWidth))}px`;
  style.top = isAbove ? 'auto' : `${field.bottom + 2}px`;
  style.bottom = isAbove ? `${height - field.top + 2}px` : 'auto';
}
