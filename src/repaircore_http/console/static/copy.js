// Offers to copy what is shown this once; without a clipboard the button stays away.
"use strict";

async function copied(secret) {
  try {
    await navigator.clipboard.writeText(secret.textContent);
    return true;
  } catch {
    // The browser was told not to let us: what is marked can be copied by hand.
    getSelection().selectAllChildren(secret);
    return false;
  }
}

if (navigator.clipboard) {
  const told = document.getElementById("copied");
  for (const button of document.querySelectorAll("[data-copies]")) {
    const secret = document.getElementById(button.dataset.copies);
    button.hidden = false;
    button.addEventListener("click", async () => {
      const done = await copied(secret);
      button.textContent = done ? "Copied" : "Copy it by hand";
      told.textContent = `${button.dataset.name}: ${done ? "copied." : "the browser did not let us copy it. It is marked."}`;
    });
  }
}
