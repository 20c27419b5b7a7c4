// The style of the list and of the note. A style sheet constructed by a script is allowed by a strict content security policy. Colours
// and the corner radius are custom properties that a page may set on `:root`.

const RULES = `
.daicho-list {
  position: fixed; inset: auto; margin: 0; padding: 4px; box-sizing: border-box; overflow: auto;
  overscroll-behavior: contain; list-style: none; font: inherit; text-align: start; z-index: 2147483000;
  color: var(--daicho-text, CanvasText); background: var(--daicho-ground, Canvas);
  border: 1px solid var(--daicho-line, GrayText); border-radius: var(--daicho-radius, 6px);
  box-shadow: 0 4px 16px rgb(0 0 0 / 20%);
}
.daicho-list[hidden] { display: none; }
.daicho-list > li { padding: 8px; border-radius: 4px; cursor: pointer; overflow-wrap: anywhere; }
.daicho-list > li:hover { background: var(--daicho-hover, color-mix(in srgb, currentcolor 10%, transparent)); }
.daicho-list > li[aria-selected=true] { color: var(--daicho-chosen-text, HighlightText);
  background: var(--daicho-chosen, Highlight); }
.daicho-list mark { color: inherit; background: none; font-weight: bold; }
.daicho-list small { margin-inline-start: 1em; opacity: .8; }
@media (forced-colors: active) { .daicho-note { border: 1px solid; } }
.daicho-note {
  position: fixed; inset: auto; margin: 0; padding: 4px 8px; box-sizing: border-box; max-width: calc(100vw - 8px);
  font: inherit; font-size: .875em; text-align: start; overflow-wrap: anywhere; pointer-events: none; border: 0;
  z-index: 2147483000; color: var(--daicho-note-text, Canvas); background: var(--daicho-note, CanvasText);
  border-radius: var(--daicho-radius, 6px);
}
.daicho-note[hidden] { display: none; }
.daicho-status { position: absolute; width: 1px; height: 1px; margin: -1px; overflow: hidden;
  clip-path: inset(50%); white-space: nowrap; }
`;

const styled = new WeakSet();

/** Adds the style to the document or to a shadow root. */
export function addStyle(root) {
  if (styled.has(root)) return;
  styled.add(root);
  try {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(RULES);
    root.adoptedStyleSheets = [...root.adoptedStyleSheets, sheet];
  } catch {
    // A browser from before 2023: add a style element, with the nonce of the page's scripts if they have one.
    const element = document.createElement('style');
    const script = document.querySelector('script[nonce]');
    if (script) element.nonce = script.nonce;
    element.textContent = RULES;
    (root.head || root).append(element);
  }
}
