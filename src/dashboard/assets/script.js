// Enhancements. The dashboard works without this script.
"use strict";

// Forms whose results refresh while the user types: data-live names the element for the results.
for (const form of document.querySelectorAll("form[data-live]")) {
  const into = document.getElementById(form.dataset.live);
  let timer, requests = 0;
  const send = async () => {
    const query = new URLSearchParams(new FormData(form));
    history.replaceState(null, "", "?" + query);
    query.set("fragment", "1");
    const mine = ++requests;
    into.classList.add("busy");
    const part = await fetchPart(form.action + "?" + query);
    if (mine !== requests) return; // A later request has been sent.
    into.classList.remove("busy");
    if (part !== null) {
      refresh(into, part);
      // Screen readers read out how many results there are, not all of them.
      const summary = into.querySelector(".count") ?? into.querySelector(".notice");
      document.getElementById(into.id + "-status").textContent = summary ? summary.textContent : "";
    }
  };
  const soon = () => { clearTimeout(timer); timer = setTimeout(send, 150); };
  form.addEventListener("input", soon);
  form.addEventListener("submit", (event) => { event.preventDefault(); clearTimeout(timer); send(); });
}

// Select the submitted text, so that typing replaces it.
const first = document.querySelector("input[autofocus]");
first?.addEventListener("focus", () => first.select(), { once: true });

// Move the focus to the notice, so that screen readers begin there.
document.querySelector("main > .notice")?.focus();

// Parts that refresh while the page is visible.
for (const part of document.querySelectorAll("[data-refresh]")) {
  const again = async () => {
    // Not while a button in the part has the focus.
    if (!document.hidden && !part.contains(document.activeElement)) {
      const fresh = await fetchPart(part.dataset.refresh);
      if (fresh !== null) refresh(part, fresh);
    }
    setTimeout(again, 1000 * part.dataset.seconds);
  };
  setTimeout(again, 1000 * part.dataset.seconds);
}

// Fetches a part of a page; null on failure. Reloads the page if the session has ended.
async function fetchPart(address) {
  try {
    const response = await fetch(address, { headers: { Accept: "text/html" } });
    if (response.redirected) location.reload();
    return response.ok && !response.redirected ? await response.text() : null;
  } catch {
    return null; // The server is unreachable; keep what is shown.
  }
}

// Replaces the content, keeping open details open.
function refresh(element, markup) {
  const open = new Map([...element.querySelectorAll("details")].map((it, at) => [at, it.open]));
  element.innerHTML = markup;
  element.querySelectorAll("details").forEach((it, at) => { if (open.has(at)) it.open = open.get(at); });
  showCopy(element);
}

// Shows copy buttons if the browser allows copying.
function showCopy(inside) {
  if (!navigator.clipboard) return;
  for (const button of inside.querySelectorAll("[data-copy]")) button.hidden = false;
}
showCopy(document);
document.addEventListener("click", async (event) => {
  const button = event.target.closest("[data-copy]");
  if (!button) return;
  const code = button.parentElement.querySelector("code");
  const text = code.dataset.text ?? code.textContent;
  await navigator.clipboard.writeText(text);
  const label = button.textContent;
  button.textContent = document.body.dataset.copied;
  setTimeout(() => { button.textContent = label; }, 1500);
});

// Asks for confirmation before irreversible actions.
document.addEventListener("submit", (event) => {
  const question = event.submitter?.dataset.confirm ?? event.target.dataset.confirm;
  if (question && !confirm(question)) event.preventDefault();
});

// Loads a file into a text field: data-into names the field.
for (const input of document.querySelectorAll("input[type=file][data-into]")) {
  input.closest("label").hidden = false;
  input.addEventListener("change", async () => {
    const [file] = input.files;
    if (file) document.getElementById(input.dataset.into).value = await file.text();
  });
}
