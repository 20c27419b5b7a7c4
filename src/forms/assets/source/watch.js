// Listens to the events of the whole document, so that blocks that are added later work too.

import { codeTyped, offer } from './block.js';
import * as combobox from './combobox.js';
import { asked, isOwnEvent, touch } from './fields.js';
import { lookupOf } from './lookup.js';
import { kindOf, textTyped } from './suggest.js';

const FIELD = '[data-daicho], [class*="p-"]';

/** Prepares the fields that open lists, so that screen readers know it before a field gets the focus. */
export function attach(root = document) {
  for (const field of root.querySelectorAll(FIELD)) ready(field);
}

/** Starts listening. Call it once per page. */
export function watch() {
  document.addEventListener('input', typed);
  document.addEventListener('change', typed);
  document.addEventListener('compositionend', typed);
  document.addEventListener('focusin', entered);
  document.addEventListener('focusout', () => combobox.close());
  // In the capture phase, before the page's own handlers, so that Enter in the list does not submit the form.
  document.addEventListener('keydown', pressed, true);
}

const isField = (element) => element instanceof Element && element.matches(FIELD) && 'value' in element;

function ready(field) {
  if (!isField(field) || field.tagName === 'SELECT') return;
  const kind = kindOf(field);
  if (kind || (lookupOf(field) && field.tagName === 'INPUT')) combobox.prepare(field);
  // The browser's own suggestions would cover the list.
  if (kind && !field.hasAttribute('autocomplete')) field.setAttribute('autocomplete', 'off');
}

function typed(event) {
  const field = event.target;
  if (isOwnEvent() || !isField(field)) return;
  if (event.isTrusted && field.tagName === 'SELECT') touch(field);
  // Full-width digits can complete a code while an input method still composes them.
  const part = lookupOf(field);
  if (part) codeTyped(field, part);
  if (kindOf(field) && event.type !== 'change') textTyped(field, Boolean(event.isComposing));
}

function entered(event) {
  const field = event.target;
  if (!isField(field) || !asked(field).length) return;
  ready(field);
  offer(field);
}

function pressed(event) {
  const field = event.target;
  if (!isField(field)) return;
  if (combobox.isOpen(field)) {
    if (!combobox.press(event)) return;
  } else {
    const isArrow = event.key === 'ArrowDown' && !event.isComposing && event.keyCode !== 229;
    if (!isArrow || field.tagName === 'SELECT') return;
    if (!offer(field)) {
      if (kindOf(field)) textTyped(field, false);
      return;
    }
  }
  event.preventDefault();
  event.stopPropagation();
}
