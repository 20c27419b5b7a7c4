// Listens to the events of the whole document, so that blocks that are added later work too, and of the shadow roots in
// it that have fields: some events do not leave them. An event that reaches several listeners is handled once.

import { codeTyped, offer } from './block.js';
import * as combobox from './combobox.js';
import { asked, isFree, isOwnEvent, touch } from './fields.js';
import { lookupOf } from './lookup.js';
import { all, include, shadowOf } from './roots.js';
import { kindOf, textTyped } from './suggest.js';
import { hide } from './told.js';

const FIELD = '[data-daicho], [class*="p-"]';

/** The roots that this module listens to. */
const heard = new WeakSet();

/** The events that were handled. */
const handled = new WeakSet();

/** Prepares the fields that open lists, so that screen readers know it before a field gets the focus. */
export function attach(root = document) {
  if (root instanceof ShadowRoot) listen(root);
  for (const element of root.querySelectorAll('*')) if (shadowOf(element)) listen(shadowOf(element));
  for (const field of all(root, FIELD)) ready(field);
}

/** Starts listening. Call it once per page. */
export const watch = () => listen(document);

function listen(root) {
  if (heard.has(root)) return;
  heard.add(root);
  if (root !== document) {
    include(root);
    attach(root);
  }
  root.addEventListener('input', once(typed));
  root.addEventListener('change', once(typed));
  root.addEventListener('compositionend', once(typed));
  root.addEventListener('focusin', once(entered));
  root.addEventListener('focusout', () => combobox.close());
  // In the capture phase, before the page's own handlers, so that Enter in the list does not submit the form.
  root.addEventListener('keydown', once(pressed), true);
}

/** The listener that calls a function with an event in a field and with the field, once for each event. */
const once = (handle) => (event) => {
  // The first event from a shadow root comes to the document only.
  for (const at of event.composedPath()) if (at instanceof ShadowRoot) listen(at);
  const [field] = event.composedPath();
  if (!isField(field) || handled.has(event)) return;
  handled.add(event);
  handle(event, field);
};

const isField = (element) => element instanceof Element && element.matches(FIELD) && 'value' in element;

function ready(field) {
  if (!isField(field) || field.tagName === 'SELECT') return;
  const kind = kindOf(field);
  if (kind || (lookupOf(field) && field.tagName === 'INPUT')) combobox.prepare(field);
  // The browser's own suggestions would cover the list.
  if (kind && !field.hasAttribute('autocomplete')) field.setAttribute('autocomplete', 'off');
}

function typed(event, field) {
  if (isOwnEvent()) return;
  if (event.isTrusted && field.tagName === 'SELECT') touch(field);
  // Full-width digits can complete a code while an input method still composes them.
  const part = lookupOf(field);
  if (part) codeTyped(field, part, event.type === 'change');
  if (event.type === 'change') return;
  if (!part) hide(field);
  if (kindOf(field)) textTyped(field, Boolean(event.isComposing));
  // The list of choices is for a field without the user's own text.
  else if (!part && combobox.isOpen(field) && !isFree(field)) combobox.close();
}

function entered(_event, field) {
  if (!asked(field).length) return;
  ready(field);
  offer(field);
}

function pressed(event, field) {
  if (event.key === 'Escape') hide();
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
