// Adds up the lines of a draft while the user types, and shows whether they match the total of the invoice.
"use strict";

const draft = document.getElementById("draft-form");

if (draft) {
  const sum = document.getElementById("lines-sum");
  const total = document.getElementById("total");

  // Cents, or null where a field has no amount.
  const centsIn = (text) => {
    const plain = text.replace(/[$,\s]/g, "");
    return /^-?\d+(\.\d{0,2})?$/.test(plain) ? Math.round(parseFloat(plain) * 100) : null;
  };

  const dollars = (cents) =>
    `${cents < 0 ? "−" : ""}$${(Math.abs(cents) / 100).toLocaleString("en-US", { minimumFractionDigits: 2 })}`;

  const isLeftOut = (field) =>
    document.getElementsByName(field.name.replace(/total$/, "remove"))[0]?.checked ?? false;

  function show() {
    const lines = [...draft.querySelectorAll('input[name^="lines."][name$=".total"]')];
    const own = lines.filter((field) => !isLeftOut(field)).map((field) => centsIn(field.value) ?? 0);
    const added = own.reduce((one, other) => one + other, 0);
    const stated = centsIn(total.value);
    const meets = stated === null || Math.abs(stated - added) <= 2;
    sum.hidden = false;
    sum.textContent = meets
      ? `The lines add up to ${dollars(added)}.`
      : `The lines add up to ${dollars(added)}, but the invoice says ${dollars(stated)}.`;
  }

  draft.addEventListener("input", show);
  show();
}
