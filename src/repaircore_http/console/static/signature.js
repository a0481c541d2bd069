// Takes a signature that is drawn with a finger, a pen or a mouse, and sends it as a small PNG.
"use strict";

for (const form of document.querySelectorAll("[data-signs]")) {
  const pad = form.querySelector("canvas");
  const pen = pad.getContext("2d");
  let drawn = false;

  const clear = () => {
    pen.fillStyle = "#fff";
    pen.fillRect(0, 0, pad.width, pad.height);
    drawn = false;
  };
  const point = (event) => {
    const box = pad.getBoundingClientRect();
    return [((event.clientX - box.left) * pad.width) / box.width, ((event.clientY - box.top) * pad.height) / box.height];
  };

  form.hidden = false;
  clear();
  Object.assign(pen, { strokeStyle: "#000", lineWidth: 5, lineCap: "round", lineJoin: "round" });
  pad.addEventListener("pointerdown", (event) => {
    pad.setPointerCapture(event.pointerId);
    pen.beginPath();
    pen.moveTo(...point(event));
    drawn = true;
  });
  pad.addEventListener("pointermove", (event) => {
    if (!pad.hasPointerCapture(event.pointerId)) return;
    pen.lineTo(...point(event));
    pen.stroke();
  });
  form.querySelector("[data-clears]").addEventListener("click", clear);
  form.addEventListener("submit", () => {
    form.elements.signature.value = drawn ? pad.toDataURL("image/png") : "";
  });
}
