// Adds the position of the phone to the report that the provider is on the way. The report is sent even without a position.
"use strict";

if (navigator.geolocation) {
  for (const button of document.querySelectorAll("[data-locates]")) {
    const form = button.form;
    const status = document.getElementById("located");
    button.hidden = false;
    button.addEventListener("click", () => {
      status.textContent = "Looking for your location…";
      navigator.geolocation.getCurrentPosition(
        ({ coords }) => {
          form.elements.latitude.value = coords.latitude.toFixed(5);
          form.elements.longitude.value = coords.longitude.toFixed(5);
          status.textContent = "Your location was added.";
        },
        () => {
          status.textContent = "We could not find your location. You can send the update without it.";
        },
        { enableHighAccuracy: true, timeout: 15000 },
      );
    });
  }
}
