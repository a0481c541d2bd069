// Suggests repairs while the visitor types, and names the vehicle of a VIN. The form works without it as well.
"use strict";

const ask = document.getElementById("ask");
const vin = document.getElementById("vin");
const vehicle = document.getElementById("vehicle");
const VIN_PAUSE = 400;

let named = "";
let vinPause = 0;

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

suggestRepairs(document.getElementById("problem"), ask.dataset.repairs, {
  typed() {
    // They were suggested for other words, and the server would ignore them.
    for (const field of ask.querySelectorAll('[name="problem_identifier"]')) {
      field.checked = false;
    }
  },
});

// Eleven characters are a VIN already: wait until the visitor pauses, so that a longer one is looked up once.
vin.addEventListener("input", () => {
  clearTimeout(vinPause);
  vinPause = setTimeout(name, VIN_PAUSE);
});
if (vin.value !== vin.defaultValue) {
  name(); // typed before this script was loaded
}

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
