// What the dashboard's pages do beyond plain HTML. Nothing here is needed to use them.
"use strict";

// Forms whose results follow the typing: data-live names the element that takes them.
for (const form of document.querySelectorAll("form[data-live]")) {
  const into = document.getElementById(form.dataset.live);
  let timer, asked = 0;
  const ask = async () => {
    const query = new URLSearchParams(new FormData(form));
    history.replaceState(null, "", "?" + query);
    query.set("fragment", "1");
    const mine = ++asked;
    into.classList.add("busy");
    const part = await fetchPart(form.action + "?" + query);
    if (mine !== asked) return; // A later question has been asked.
    into.classList.remove("busy");
    if (part !== null) {
      renew(into, part);
      // Read out: how many there are, not all that there is.
      const told = into.querySelector(".count, .notice");
      document.getElementById(into.id + "-status").textContent = told ? told.textContent : "";
    }
  };
  const soon = () => { clearTimeout(timer); timer = setTimeout(ask, 150); };
  form.addEventListener("input", soon);
  form.addEventListener("submit", (event) => { event.preventDefault(); clearTimeout(timer); ask(); });
}

// What happened is where reading begins.
document.querySelector("main > .notice")?.focus();

// Parts that renew themselves while they are looked at.
for (const part of document.querySelectorAll("[data-refresh]")) {
  const again = async () => {
    // Whoever is at a button in there keeps it.
    if (!document.hidden && !part.contains(document.activeElement)) {
      const fresh = await fetchPart(part.dataset.refresh);
      if (fresh !== null) renew(part, fresh);
    }
    setTimeout(again, 1000 * part.dataset.seconds);
  };
  setTimeout(again, 1000 * part.dataset.seconds);
}

// A part of a page, made by the server; null where there is none. Signing in comes first.
async function fetchPart(address) {
  try {
    const response = await fetch(address, { headers: { Accept: "text/html" } });
    if (response.redirected) location.reload();
    return response.ok && !response.redirected ? await response.text() : null;
  } catch {
    return null; // The server is gone for now; what is shown stays.
  }
}

// Puts fresh content in, keeping which details are open.
function renew(element, markup) {
  const open = new Map([...element.querySelectorAll("details")].map((it, at) => [at, it.open]));
  element.innerHTML = markup;
  element.querySelectorAll("details").forEach((it, at) => { if (open.has(at)) it.open = open.get(at); });
  showCopy(element);
}

// Copy buttons, where the browser lets a page copy.
function showCopy(inside) {
  if (!navigator.clipboard) return;
  for (const button of inside.querySelectorAll("[data-copy]")) button.hidden = false;
}
showCopy(document);
document.addEventListener("click", async (event) => {
  const button = event.target.closest("[data-copy]");
  if (!button) return;
  const text = button.parentElement.querySelector("code").textContent;
  await navigator.clipboard.writeText(text);
  const label = button.textContent;
  button.textContent = document.body.dataset.copied;
  setTimeout(() => { button.textContent = label; }, 1500);
});

// What cannot be undone is asked about.
document.addEventListener("submit", (event) => {
  const question = event.target.dataset.confirm;
  if (question && !confirm(question)) event.preventDefault();
});

// A file for a text field: data-into names the field.
for (const input of document.querySelectorAll("input[type=file][data-into]")) {
  input.closest("label").hidden = false;
  input.addEventListener("change", async () => {
    const [file] = input.files;
    if (file) document.getElementById(input.dataset.into).value = await file.text();
  });
}
