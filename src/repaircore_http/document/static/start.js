// Shows the document of this server, even if a proxy serves it under a prefix.
"use strict";
const scheme = matchMedia("(prefers-color-scheme: dark)");
const paint = () => document.documentElement.classList.toggle("dark-mode", scheme.matches);
scheme.addEventListener("change", paint);
paint();

// Names that Swagger UI lacks for screen readers and keyboard users.
const levels = { ".title": 1, ".opblock-tag": 2, ".models > h4, .models > h3": 2, ".opblock-body h4": 3, ".opblock-body h5": 4, ".dialog-ux h3": 2, ".dialog-ux h4": 3 };
const names = { "#servers": "Server", ".examples-select-element": "Example", ".content-type": "Media type", ".operation-filter-input": "Filter by tag", ".parameters select": "Value" };
const regions = { ".information-container": "About this API", ".scheme-container": "Server and credential", ".filter-container": "Filter" };
const mend = () => {
  for (const [where, level] of Object.entries(levels)) for (const heading of document.querySelectorAll(where)) {
    heading.setAttribute("role", "heading");
    heading.setAttribute("aria-level", level);
  }
  for (const [where, name] of Object.entries(names)) for (const field of document.querySelectorAll(where)) field.ariaLabel ||= name;
  for (const [where, name] of Object.entries(regions)) for (const region of document.querySelectorAll(where)) {
    region.setAttribute("role", "region");
    region.ariaLabel = name;
  }
  for (const button of document.querySelectorAll(".opblock-tag button")) button.ariaLabel = `Operations: ${button.closest(".opblock-tag").dataset.tag}`;
  for (const button of document.querySelectorAll("#api button[title]:not([aria-label])")) button.ariaLabel = button.title;
  for (const code of document.querySelectorAll("pre.microlight, .highlight-code pre, .body-param__example")) code.tabIndex = 0;
};
new MutationObserver(mend).observe(document.getElementById("api"), { childList: true, subtree: true });

// A button opens an operation and cannot contain a link, so the address bar gets its address here.
const withoutLinks = ({ React }) => ({
  wrapComponents: { DeepLink: () => ({ text }) => React.createElement("span", null, text) },
});

SwaggerUIBundle({
  url: new URL("../../api/openapi.json", document.currentScript.src).href,
  dom_id: "#api",
  deepLinking: true,
  defaultModelsExpandDepth: 0,
  docExpansion: "none",
  filter: true,
  validatorUrl: null,
  syntaxHighlight: false,
  plugins: [RequestExamples.plugin, withoutLinks],
});
