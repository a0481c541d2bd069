// Suggests repairs while the visitor types, and names the vehicle of a VIN. The form works without it as well.
"use strict";

const ask = document.getElementById("ask");
const words = document.getElementById("problem");
const offers = document.getElementById("offers");
const vin = document.getElementById("vin");
const vehicle = document.getElementById("vehicle");
const status = document.getElementById("offers-status");
const PAUSE = 150;
const VIN_PAUSE = 400;

let shown = [];
let active = -1;
let searches = 0;
let pause = 0;
let named = "";
let vinPause = 0;

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

async function fetchJson(address, options) {
  try {
    const answer = await fetch(address, { ...options, redirect: "error" });
    return answer.ok ? await answer.json() : null;
  } catch {
    return null;
  }
}

async function search() {
  const mine = ++searches;
  const text = words.value.trim();
  if (text.length < 2) {
    close();
    return;
  }
  const found = await fetchJson(`${ask.dataset.repairs}?q=${encodeURIComponent(text)}`);
  if (mine === searches && found && document.activeElement === words) {
    offer(found);
  }
}

function bare() {
  return vin.value.replace(/[\s-]/g, "").toUpperCase();
}

async function name() {
  const text = bare();
  if (text === named) {
    return;
  }
  named = text;
  vehicle.classList.remove("doubt");
  vehicle.textContent = "";
  if (text.length !== 11 && text.length !== 17) {
    return;
  }
  const body = new URLSearchParams({ vin: text, form_token: ask.elements.form_token.value });
  const found = await fetchJson(ask.dataset.vehicle, { method: "POST", body });
  if (named === text && found) {
    vehicle.textContent = [found.name, found.note].filter(Boolean).join(" · ");
    vehicle.classList.toggle("doubt", Boolean(found.note));
  }
}

words.setAttribute("role", "combobox");
words.setAttribute("aria-autocomplete", "list");
words.setAttribute("aria-controls", "offers");
words.setAttribute("aria-expanded", "false");

words.addEventListener("input", () => {
  // They were suggested for other words, and the server would ignore them.
  for (const field of ask.querySelectorAll('[name="problem_identifier"]')) {
    field.checked = false;
  }
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

// Eleven characters are a VIN already: wait until the visitor pauses, so that a longer one is looked up once.
vin.addEventListener("input", () => {
  clearTimeout(vinPause);
  vinPause = setTimeout(name, VIN_PAUSE);
});

// Enter presses the form's first button, which is for the estimate; in these fields it should find the VIN.
for (const field of [ask.elements.plate, ask.elements.state]) {
  field?.addEventListener("keydown", (event) => {
    if (event.key === "Enter") {
      event.preventDefault();
      document.getElementById("find").click();
    }
  });
}

// Year, make, model and engine follow one another: each choice decides which are offered next.
const specs = ["year", "make", "model", "engine"].map((name) => ask.elements[name]);
const choicesStatus = document.getElementById("choices-status");
let choosing = 0;

function listed(id, names) {
  document.getElementById(id).replaceChildren(
    ...names.map((name) => {
      const option = document.createElement("option");
      option.value = name;
      return option;
    }),
  );
}

async function follow() {
  const mine = ++choosing;
  const [year, make, model] = specs.map((field) => field.value.trim());
  const query = new URLSearchParams({ year, make, model });
  const found = await fetchJson(`${ask.dataset.choices}?${query}`);
  if (mine !== choosing || !found) {
    return;
  }
  listed("makes", found.makes);
  listed("models", found.models);
  listed("engines", found.engines);
  if (found.engines.length > 0) {
    choicesStatus.textContent = `${found.engines.length} ${found.engines.length === 1 ? "engine" : "engines"} to choose from.`;
  }
}

// Another make has other models, and another year or model other engines: clear what no longer fits.
const FOLLOWING = [[3], [2, 3], [3]];
let before = specs.map((field) => field.value.trim());

function changed(index) {
  if (before[index] !== "" && before[index] !== specs[index].value.trim()) {
    for (const following of FOLLOWING[index]) {
      specs[following].value = "";
    }
  }
  document.getElementById("engine-choices")?.remove();
  before = specs.map((field) => field.value.trim());
  follow();
}

for (const [index, field] of specs.slice(0, 3).entries()) {
  field.addEventListener("change", () => changed(index));
}
for (const field of ask.querySelectorAll('[name="chosen_engine"]')) {
  field.addEventListener("change", () => {
    ask.elements.engine_chosen_for.value = field.value;
    specs[3].value = field.value;
  });
}
// The script fills the lists, so the button for visitors without scripts is not needed.
document.getElementById("choices-step").hidden = true;
