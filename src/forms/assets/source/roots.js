// The document and the shadow roots in it as one tree. The fields of a web component are in a shadow root; their block
// may be outside of it.
//
// An open shadow root is found by itself. A closed one is known once the page has passed it to `attach`.

/** The shadow root of each host, if a field was found in it. */
const shadows = new WeakMap();

/** Whether the page has such a root. Without one the browser's own search is enough, which is much faster. */
let hasShadows = false;

/** The shadow root of an element that is known or open; else null. */
export const shadowOf = (element) => shadows.get(element) || element.shadowRoot || null;

/** Includes a shadow root in searches. */
export function include(root) {
  hasShadows = true;
  shadows.set(root.host, root);
}

/** The element around the root of a node; undefined if that root is the document. */
export const hostOf = (node) => node.getRootNode().host;

/** The nearest element that matches, also outside of the root of the node; else null. */
export function closest(node, selector) {
  for (let at = node; at; at = hostOf(at)) {
    // A shadow root itself has no `closest`.
    const found = at.closest && at.closest(selector);
    if (found) return found;
  }
  return null;
}

/** All elements below a node that match, in the order of the page, with those in shadow roots. */
export function all(node, selector) {
  if (!hasShadows) return [...node.querySelectorAll(selector)];
  const found = [];
  const visit = (root) => {
    for (const element of root.querySelectorAll('*')) {
      if (element.matches(selector)) found.push(element);
      const shadow = shadowOf(element);
      if (shadow) visit(shadow);
    }
  };
  const own = shadowOf(node);
  if (own) visit(own);
  visit(node);
  return found;
}

/** Whether the focus is in a field. */
export const isActive = (field) => field.getRootNode().activeElement === field;
