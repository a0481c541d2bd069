// Shows the button that prints the page: without scripts, the browser's own menu does.
"use strict";

const print = document.getElementById("print");
print.hidden = false;
print.addEventListener("click", () => window.print());
