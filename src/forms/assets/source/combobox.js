// The list under a field: a combobox with a listbox, as in ARIA 1.2. A page shows one list at a time.
//
// The focus stays in the field; `aria-activedescendant` is the id of the active choice. Keys that an input method uses
// are not handled. The list is in the root of its field, because the ids of ARIA do not reach into another one.

import { addStyle } from './style.js';
import { pieces } from './text.js';
import { prepareStatus } from './told.js';
import { wordsOf } from './words.js';

const MARGIN = 8;
const HEIGHT_MAX = 320;

let list;
/**
 * The open list, or null: its `field`, its `choices`, the function `choose` to call with the chosen one, and the index
 * `at` of the active one, or -1.
 */
let open = null;

/** Marks a field as one that may open a list, for screen readers. */
export function prepare(field) {
  prepareStatus(field);
  if (field.getAttribute('role') === 'combobox') return;
  field.setAttribute('role', 'combobox');
  field.setAttribute('aria-autocomplete', 'list');
  field.setAttribute('aria-haspopup', 'listbox');
  field.setAttribute('aria-expanded', 'false');
}

export const isOpen = (field) => open !== null && open.field === field;

/** Opens the list under a field. A choice has a `label`, and may have `marked` (offset pairs), `note`, `isClosed`. */
export function show(field, choices, choose) {
  close();
  prepare(field);
  make(field);
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

/** Handles a key in the field whose list is open. Returns whether the caller must stop the event. */
export function press(event) {
  // 229: an input method handles the key.
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
      // Without an active choice, Home and End move the text cursor.
      return open.at >= 0 && !event.shiftKey && go(0);
    case 'End':
      return open.at >= 0 && !event.shiftKey && go(last);
    case 'Enter':
      return take(Math.max(open.at, 0));
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
  // The note may be empty: a corporation abroad has no municipality to show.
  const note = (choice.note || '') + (choice.isClosed ? wordsOf(open.field).closed : '');
  if (note) {
    const behind = document.createElement('small');
    // The space makes screen readers read label and note as two words.
    behind.textContent = ` ${note}`;
    item.append(behind);
  }
  return item;
}

/**
 * Creates the list once, and moves it to the field: into its dialog if it has one, because a modal dialog makes
 * everything outside of it inert.
 */
function make(field) {
  const root = field.getRootNode();
  addStyle(root);
  const home = field.closest('dialog') || (root === document ? document.body : root);
  if (!list) {
    list = document.createElement('ul');
    list.id = 'daicho-list';
    list.className = 'daicho-list';
    list.setAttribute('role', 'listbox');
    list.setAttribute('popover', 'manual');
    list.hidden = true;
    // Keep the focus in the field.
    list.addEventListener('pointerdown', (event) => event.preventDefault());
    list.addEventListener('mousedown', (event) => event.preventDefault());
    list.addEventListener('click', (event) => {
      const item = event.target.closest('li');
      if (open && item) take([...list.children].indexOf(item));
    });
    addEventListener('scroll', place, { capture: true, passive: true });
    addEventListener('resize', place);
  }
  if (list.parentNode !== home) home.append(list);
}

/** Places the list below the field, or above it if it fits only there or has more room there; always in the window. */
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
