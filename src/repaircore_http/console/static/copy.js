// Buttons that copy secrets which are shown only once. Without a clipboard they stay hidden.
"use strict";

async function copied(secret) {
  try {
    await navigator.clipboard.writeText(secret.textContent);
    return true;
  } catch {
    // The browser does not allow it: the visitor can copy what is selected.
    getSelection().selectAllChildren(secret);
    return false;
  }
}

if (navigator.clipboard) {
  const status = document.getElementById("copied");
  for (const button of document.querySelectorAll("[data-copies]")) {
    const secret = document.getElementById(button.dataset.copies);
    button.hidden = false;
    button.addEventListener("click", async () => {
      const done = await copied(secret);
      button.textContent = done ? "Copied" : "Copy it manually";
      status.textContent = `${button.dataset.name}: ${done ? "copied." : "the browser blocked copying. The text is selected, so you can copy it yourself."}`;
    });
  }
}
