// Whether this device has a mouse (or touchpad) or a keyboard: some studies cannot do without.

const MOUSE = "(any-hover: hover) and (any-pointer: fine)";

export const hasMouse = () => matchMedia(MOUSE).matches;

/**
 * Resolves with "mouse" or "keyboard" as soon as the device is known to have one. Browsers say
 * whether there is a mouse. A keyboard is known only when one of its keys is pressed.
 */
export function mouseOrKeyboard() {
  if (hasMouse()) return Promise.resolve("mouse");
  return new Promise((resolve) => {
    matchMedia(MOUSE).addEventListener("change", () => resolve("mouse"), { once: true });
    document.addEventListener("keydown", function heard(event) {
      // On-screen keyboards do not name their keys.
      if (event.key === "Unidentified" || event.isComposing) return;
      document.removeEventListener("keydown", heard);
      resolve("keyboard");
    });
  });
}
