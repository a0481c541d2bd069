// Suggests repairs of the book while the user types in a text field, and fetches what forms ask for. For the forms of estimates and visits.
"use strict";

async function fetchJson(address, options) {
  try {
    const answer = await fetch(address, { ...options, redirect: "error" });
    return answer.ok ? await answer.json() : null;
  } catch {
    return null;
  }
}

// The field has a list "offers" and a status "offers-status" beside it. ``typed`` is called while the user types, ``chosen`` with a
// repair that was chosen, whose whole name is then in the field.
function suggestRepairs(words, address, { typed = () => {}, chosen = () => {} } = {}) {
  const offers = document.getElementById("offers");
  const status = document.getElementById("offers-status");
  const PAUSE = 150;
  let shown = [];
  let active = -1;
  let searches = 0;
  let pause = 0;

  function close() {
    offers.hidden = true;
    active = -1;
    words.setAttribute("aria-expanded", "false");
    words.removeAttribute("aria-activedescendant");
  }

  function mark(index) {
    active = index;
    [...offers.children].forEach((item, at) => {
      item.setAttribute("aria-selected", String(at === index));
      if (at === index) {
        words.setAttribute("aria-activedescendant", item.id);
        item.scrollIntoView({ block: "nearest" });
      }
    });
  }

  function choose(index) {
    const repair = shown[index];
    words.value = `${repair.parent} > ${repair.name}`;
    status.textContent = `You chose ${repair.name}.`;
    close();
    chosen(repair);
  }

  function offer(repairs) {
    shown = repairs;
    offers.replaceChildren(
      ...repairs.map((repair, index) => {
        const item = document.createElement("li");
        item.id = `offer-${index}`;
        item.setAttribute("role", "option");
        item.setAttribute("aria-selected", "false");
        item.append(repair.name);
        const parent = document.createElement("span");
        parent.textContent = repair.parent;
        item.append(parent);
        // Keep the focus in the field: losing it closes the list.
        item.addEventListener("mousedown", (event) => event.preventDefault());
        item.addEventListener("click", () => choose(index));
        return item;
      }),
    );
    offers.hidden = repairs.length === 0;
    words.setAttribute("aria-expanded", String(repairs.length > 0));
    status.textContent = countOf(repairs.length);
    active = -1;
    words.removeAttribute("aria-activedescendant");
  }

  function countOf(repairs) {
    if (repairs === 0) {
      return "No matching repairs.";
    }
    return `${repairs} ${repairs === 1 ? "repair" : "repairs"} found. Use the arrow keys to choose.`;
  }

  async function search() {
    const mine = ++searches;
    const text = words.value.trim();
    if (text.length < 2) {
      close();
      return;
    }
    const found = await fetchJson(`${address}?q=${encodeURIComponent(text)}`);
    if (mine === searches && found && document.activeElement === words) {
      offer(found);
    }
  }

  // Pending searches are for words that are no longer in the field.
  function stop() {
    searches += 1;
    clearTimeout(pause);
    close();
  }

  words.setAttribute("role", "combobox");
  words.setAttribute("aria-autocomplete", "list");
  words.setAttribute("aria-controls", "offers");
  words.setAttribute("aria-expanded", "false");

  words.addEventListener("input", () => {
    typed();
    clearTimeout(pause);
    pause = setTimeout(search, PAUSE);
  });

  words.addEventListener("keydown", (event) => {
    if (offers.hidden) {
      if (event.key === "ArrowDown") {
        search();
      }
      return;
    }
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      event.preventDefault();
      const step = event.key === "ArrowDown" ? 1 : -1;
      mark((active + step + shown.length + (active < 0 && step < 0 ? 1 : 0)) % shown.length);
    } else if (event.key === "Enter" && active >= 0) {
      event.preventDefault();
      choose(active);
    } else if (event.key === "Escape") {
      close();
    }
  });

  words.addEventListener("blur", close);
  return { stop };
}
