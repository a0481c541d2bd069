// A call of each operation, with its recorded example, in curl, Python and JavaScript.
"use strict";
const RequestExamples = (() => {
  const indent = (text, by) => text.replaceAll("\n", `\n${by}`);
  const json = (value, by = "") => indent(JSON.stringify(value, null, 2), by);
  const python = (value, by) => indent(pythonOf(value), by);
  const pythonOf = (value) => {
    if (value === null) return "None";
    if (value === true) return "True";
    if (value === false) return "False";
    if (Array.isArray(value)) return value.length ? `[\n${value.map((each) => `    ${indent(pythonOf(each), "    ")},\n`).join("")}]` : "[]";
    if (typeof value !== "object") return JSON.stringify(value);
    const lines = Object.entries(value).map(([name, each]) => `    ${JSON.stringify(name)}: ${indent(pythonOf(each), "    ")},\n`);
    return lines.length ? `{\n${lines.join("")}}` : "{}";
  };
  const quoted = (text) => `'${text.replaceAll("'", "'\\''")}'`;

  const callOf = (path, method, operation, base) => {
    const parameters = (operation.parameters || []).filter((each) => each.example !== undefined || each.required);
    const value = (each) => encodeURIComponent(each.example ?? each.name.toUpperCase());
    let address = base + path;
    for (const each of parameters.filter((one) => one.in === "path")) address = address.replace(`{${each.name}}`, value(each));
    const query = parameters.filter((each) => each.in === "query").map((each) => `${each.name}=${value(each)}`);
    const content = (operation.requestBody || {}).content || {};
    const body = content["application/json"] && content["application/json"].example;
    return {
      address: query.length ? `${address}?${query.join("&")}` : address,
      method: method.toUpperCase(),
      secret: (operation.security || []).some((each) => Object.keys(each).length),
      changes: (operation.parameters || []).some((each) => each.name === "Idempotency-Key"),
      file: body === undefined && content["multipart/form-data"] !== undefined,
      body,
    };
  };

  const curl = (call) => [
    `curl --fail-with-body ${call.method === "GET" ? "" : `-X ${call.method} `}${quoted(call.address)}`,
    ...(call.secret ? ['-H "Authorization: Bearer $KEY"'] : []),
    ...(call.changes ? ['-H "Idempotency-Key: $(uuidgen)"'] : []),
    ...(call.file ? ["-F image=@photo.jpg"] : []),
    ...(call.body === undefined ? [] : ["-H 'Content-Type: application/json'", `-d ${quoted(JSON.stringify(call.body))}`]),
  ].join(" \\\n  ");

  const inPython = (call) => {
    const headers = [
      ...(call.secret ? ['"Authorization": f"Bearer {os.environ[\'KEY\']}"'] : []),
      ...(call.changes ? ['"Idempotency-Key": str(uuid.uuid4())'] : []),
    ];
    const modules = [...(call.secret ? ["import os"] : []), ...(call.changes ? ["import uuid"] : [])];
    return [
      ...modules, ...(modules.length ? [""] : []), "import httpx", "",
      "answer = httpx.request(",
      `    "${call.method}",`,
      `    ${JSON.stringify(call.address)},`,
      ...(headers.length ? [`    headers={${headers.join(", ")}},`] : []),
      ...(call.file ? ['    files={"image": open("photo.jpg", "rb")},'] : []),
      ...(call.body === undefined ? [] : [`    json=${python(call.body, "    ")},`]),
      ")",
      "answer.raise_for_status()",
      "print(answer.text)",
    ].join("\n");
  };

  const inJavaScript = (call) => {
    const headers = [
      ...(call.secret ? ["Authorization: `Bearer ${process.env.KEY}`"] : []),
      ...(call.changes ? ['"Idempotency-Key": crypto.randomUUID()'] : []),
      ...(call.body === undefined ? [] : ['"Content-Type": "application/json"']),
    ];
    return [
      ...(call.file ? ['import { openAsBlob } from "node:fs";', "", "const form = new FormData();", 'form.set("image", await openAsBlob("photo.jpg"), "photo.jpg");', ""] : []),
      `const answer = await fetch(${JSON.stringify(call.address)}, {`,
      `  method: "${call.method}",`,
      ...(headers.length ? [`  headers: { ${headers.join(", ")} },`] : []),
      ...(call.file ? ["  body: form,"] : []),
      ...(call.body === undefined ? [] : [`  body: JSON.stringify(${json(call.body, "  ")}),`]),
      "});",
      "if (!answer.ok) throw new Error(await answer.text());",
      "console.log(await answer.text());",
    ].join("\n");
  };

  const languages = [["curl", curl], ["Python", inPython], ["JavaScript", inJavaScript]];

  const plugin = ({ React }) => {
    const Example = ({ name, text }) => React.createElement("details", { className: "example" },
      React.createElement("summary", null, name),
      React.createElement("pre", { tabIndex: 0, "aria-label": `Example in ${name}` }, React.createElement("code", null, text)));
    const Examples = (props) => {
      const found = props.specSelectors.specJson().getIn(["paths", props.path, props.method]);
      if (!found) return null;
      const base = new URL("..", new URL(props.specSelectors.url(), location.href)).href.replace(/\/$/, "");
      const call = callOf(props.path, props.method, found.toJS(), base);
      return React.createElement("div", { className: "examples" },
        React.createElement("h4", null, "Call it"),
        ...languages.map(([name, write]) => React.createElement(Example, { key: name, name, text: write(call) })));
    };
    return {
      wrapComponents: {
        responses: (Original) => (props) => React.createElement("div", null, React.createElement(Examples, props), React.createElement(Original, props)),
      },
    };
  };
  return { callOf, curl, inPython, inJavaScript, plugin };
})();
