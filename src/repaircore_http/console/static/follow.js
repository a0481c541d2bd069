// Keeps the page of a job up to date while it is open. Without it the page is updated by its button.
"use strict";

const PAUSE = 30000;

async function update() {
  if (document.hidden) return;
  try {
    const answer = await fetch(location.pathname, { headers: { Accept: "text/html" } });
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    const news = page.querySelector("main");
    const shown = document.querySelector("main");
    if (news && news.textContent !== shown.textContent) shown.replaceChildren(...news.childNodes);
    if (answer.status === 404) clearInterval(timer);
  } catch {
    // There is no connection at the moment: the next attempt may succeed.
  }
}

const timer = setInterval(update, PAUSE);
