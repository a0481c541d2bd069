// Shows the document of this server, wherever a proxy may have put it.
"use strict";
SwaggerUIBundle({
  url: new URL("../../api/openapi.json", document.currentScript.src).href,
  dom_id: "#api",
  deepLinking: true,
  defaultModelsExpandDepth: 0,
  docExpansion: "none",
  filter: true,
  validatorUrl: null,
});
