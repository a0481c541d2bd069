// Buttons that show what is typed into a password field. Without scripts there are none.
"use strict";

for (const button of document.querySelectorAll("[data-shows]")) {
  const field = document.getElementById(button.dataset.shows);
  const show = (isShown) => {
    field.type = isShown ? "text" : "password";
    button.textContent = isShown ? "Hide password" : "Show password";
  };
  button.hidden = false;
  button.addEventListener("click", () => show(field.type === "password"));
  // Browsers offer to remember what was typed as a password.
  field.form.addEventListener("submit", () => show(false));
}
