// Shows how far a task is, without loading its page again until it has ended.
"use strict";

const progress = document.getElementById("task-progress");
const bar = document.getElementById("task-bar");
const text = document.getElementById("task-text");
const EVERY = 1000;
const LONGEST = 15000;
let pause = EVERY;

async function look() {
  let task = null;
  try {
    const answer = await fetch(progress.dataset.address, { redirect: "error" });
    task = answer.ok ? await answer.json() : null;
  } catch {
    // The server is restarting, or the network is down: try again later.
  }
  if (task?.ended) {
    location.reload();
    return;
  }
  pause = task === null ? Math.min(2 * pause, LONGEST) : EVERY;
  if (task !== null) {
    bar.value = task.percent;
    // A status is read aloud whenever it changes.
    if (text.textContent !== task.text) {
      text.textContent = task.text;
    }
  }
  setTimeout(look, pause);
}

setTimeout(look, EVERY);
