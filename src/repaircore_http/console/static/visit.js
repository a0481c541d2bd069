// Adds, moves and removes the lines of a visit without loading the page again; the server makes each new line. The form works without it as well.
"use strict";

const visit = document.getElementById("visit-form");
const list = document.getElementById("form-lines");
const words = document.getElementById("problem");
const result = document.getElementById("adding-result");
const announced = document.getElementById("lines-status");
const most = Number(visit.dataset.most);

// One at a time: the request for the next line includes the lines before it.
let queue = Promise.resolve();

// If the server cannot be reached, the form is sent as without scripts.
let isPlain = false;

function titleOf(line) {
  const title = line.querySelector(".form-line-name strong")?.textContent;
  return title?.split(" › ").pop() || line.querySelector('[name$=".description"]')?.value || "The line";
}

const NUMBERED = ["id", "name", "for", "value", "aria-describedby"];

// Fields and buttons are named by the position of their line: lines.3.price, up-3.
function number() {
  [...list.children].forEach((line, place) => {
    line.querySelector(".line-number").textContent = String(place + 1);
    for (const element of line.querySelectorAll("*")) {
      for (const attribute of NUMBERED) {
        const before = element.getAttribute(attribute);
        if (before !== null && (attribute !== "value" || element.name === "step")) {
          element.setAttribute(attribute, before.replace(/^(lines\.|up-|down-|remove-)\d+/, `$1${place}`));
        }
      }
    }
    tool(line, "up").disabled = place === 0;
    tool(line, "down").disabled = place === list.children.length - 1;
  });
  const count = list.children.length;
  document.getElementById("line-count").textContent = String(count);
  document.querySelector(".line-count").hidden = count === 0;
  document.getElementById("no-lines").hidden = count > 0;
  document.getElementById("lines-full").hidden = count < most;
  document.getElementById("lines-adding").hidden = count >= most;
}

function tool(line, action) {
  return line.querySelector(`[name="step"][value^="${action}-"]`);
}

function remove(line) {
  const next = line.nextElementSibling ?? line.previousElementSibling;
  const title = titleOf(line);
  line.remove();
  number();
  (next ? tool(next, "remove") : words).focus();
  announced.textContent = `${title}: removed.`;
}

function move(line, action) {
  const other = action === "up" ? line.previousElementSibling : line.nextElementSibling;
  if (!other) {
    return;
  }
  if (action === "up") {
    other.before(line);
  } else {
    other.after(line);
  }
  number();
  const button = tool(line, action);
  (button.disabled ? tool(line, action === "up" ? "down" : "up") : button).focus();
  line.scrollIntoView({ block: "nearest" });
  announced.textContent = `${titleOf(line)}: now line ${[...list.children].indexOf(line) + 1}.`;
}

async function load(body) {
  try {
    const answer = await fetch(visit.action, { method: "POST", body, redirect: "error" });
    return answer.ok ? new DOMParser().parseFromString(await answer.text(), "text/html") : null;
  } catch {
    return null;
  }
}

// Asks the server for the form with one more line. What is typed meanwhile stays: only the new line is taken over.
async function add(step, sentWords, button) {
  const sent = new FormData(visit);
  const before = list.children.length;
  sent.set("step", step);
  sent.set("problem", sentWords);
  const page = await load(new URLSearchParams(sent));
  const lines = page?.getElementById("form-lines");
  if (!lines) {
    words.value = sentWords;
    isPlain = true;
    visit.requestSubmit(button);
    return;
  }
  if (lines.children.length > before) {
    const line = document.adoptNode(lines.lastElementChild);
    for (const field of line.querySelectorAll("[autofocus]")) {
      field.removeAttribute("autofocus");
    }
    list.append(line);
    number();
    show(null);
    announced.textContent = `${titleOf(line)}: added as line ${list.children.length}.`;
    if (step !== "add") {
      line.querySelector('[name$=".description"]').focus();
    } else if (words.closest("[hidden]")) {
      tool(line, "remove").focus();
    } else {
      words.focus({ preventScroll: true });
      words.scrollIntoView({ block: "nearest" });
    }
    return;
  }
  words.value = words.value || sentWords;
  show(page.getElementById("adding-result"));
}

function show(shown) {
  result.replaceChildren(...(shown ? shown.children : []));
  const error = result.querySelector(".field-error");
  words.closest(".field").classList.toggle("bad", Boolean(error));
  words.toggleAttribute("aria-invalid", Boolean(error));
  if (error) {
    words.setAttribute("aria-invalid", "true");
    words.setAttribute("aria-describedby", "problem-hint problem-error1");
    announced.textContent = error.textContent;
    (result.querySelector("input[type=radio]") ?? words).focus();
  } else {
    words.setAttribute("aria-describedby", "problem-hint");
  }
}

function addWords(button) {
  suggestions.stop();
  const typed = words.value.trim();
  if (typed === "") {
    // Enter in any field presses the form's first button, which is hidden.
    if (button.closest(".adding")) {
      words.focus();
    }
    return;
  }
  words.value = "";
  queue = queue.then(() => add("add", typed, button));
}

words.removeAttribute("list"); // the suggestions below know more words
const suggestions = suggestRepairs(words, visit.dataset.repairs, {
  typed: () => show(null),
  chosen: () => addWords(visit.querySelector('.adding-row [value="add"]')),
});

visit.addEventListener("submit", (event) => {
  if (isPlain) {
    return;
  }
  const button = event.submitter;
  const step = button?.name === "step" ? button.value : "";
  const line = button?.closest(".form-line");
  if (line && step.startsWith("remove-")) {
    event.preventDefault();
    remove(line);
  } else if (line) {
    event.preventDefault();
    move(line, step.split("-")[0]);
  } else if (step.startsWith("own-")) {
    event.preventDefault();
    queue = queue.then(() => add(step, "", button));
  } else if (step === "add") {
    event.preventDefault();
    addWords(button);
  }
});
