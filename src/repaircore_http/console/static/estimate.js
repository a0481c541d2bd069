// Offers repairs while one types, and names the vehicle of a VIN. The form does all of it without this, too.
"use strict";

const ask = document.getElementById("ask");
const words = document.getElementById("problem");
const offers = document.getElementById("offers");
const vin = document.getElementById("vin");
const vehicle = document.getElementById("vehicle");
const PAUSE = 150;

let shown = [];
let active = -1;
let asked = 0;
let pause = 0;

function chosen() {
  let field = ask.querySelector('input[type="hidden"][name="problem_identifier"]');
  if (!field) {
    field = document.createElement("input");
    field.type = "hidden";
    field.name = "problem_identifier";
    words.closest(".field").append(field);
  }
  return field;
}

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
  chosen().value = repair.slug;
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
      // Before the field loses the focus, which closes the list.
      item.addEventListener("mousedown", (event) => event.preventDefault());
      item.addEventListener("click", () => choose(index));
      return item;
    }),
  );
  offers.hidden = repairs.length === 0;
  words.setAttribute("aria-expanded", String(repairs.length > 0));
  active = -1;
  words.removeAttribute("aria-activedescendant");
}

async function told(address, options) {
  try {
    const answer = await fetch(address, { ...options, redirect: "error" });
    return answer.ok ? await answer.json() : null;
  } catch {
    return null;
  }
}

async function search() {
  const mine = ++asked;
  const text = words.value.trim();
  if (text.length < 2) {
    close();
    return;
  }
  const found = await told(`${ask.dataset.repairs}?q=${encodeURIComponent(text)}`);
  if (mine === asked && found && document.activeElement === words) {
    offer(found);
  }
}

async function name() {
  const text = vin.value.replace(/[\s-]/g, "");
  vehicle.classList.remove("doubt");
  if (text.length !== 11 && text.length !== 17) {
    vehicle.textContent = "";
    return;
  }
  const body = new FormData();
  body.set("vin", text);
  body.set("form_token", ask.elements.form_token.value);
  const found = await told(ask.dataset.vehicle, { method: "POST", body: new URLSearchParams(body) });
  if (vin.value.replace(/[\s-]/g, "") === text) {
    vehicle.textContent = found ? [found.name, found.note].filter(Boolean).join(" · ") : "";
    vehicle.classList.toggle("doubt", Boolean(found && found.note));
  }
}

words.setAttribute("role", "combobox");
words.setAttribute("aria-autocomplete", "list");
words.setAttribute("aria-controls", "offers");
words.setAttribute("aria-expanded", "false");

words.addEventListener("input", () => {
  for (const field of ask.querySelectorAll('[name="problem_identifier"]')) {
    if (field.type === "radio") {
      field.checked = false;
    } else {
      field.value = "";
    }
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
vin.addEventListener("input", name);
