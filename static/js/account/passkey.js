// Passkeys: a form gets its `credential` from the browser before it is sent.

/**
 * @param {HTMLFormElement} form
 * @returns {Promise<{publicKey: any}>} what the server offers, with its challenge
 */
async function offered(form) {
  const { options = "", optionsAt } = form.dataset;
  if (!optionsAt) return JSON.parse(document.getElementById(options)?.textContent ?? "");
  const answer = await fetch(optionsAt, { headers: { Accept: "application/json" } });
  return (await answer.json()).request_options;
}

/**
 * @param {HTMLFormElement} form
 * @returns {Promise<Credential | null>}
 */
async function credentialFor(form) {
  const { publicKey } = await offered(form);
  if (form.dataset.passkey === "get") {
    return navigator.credentials.get({
      publicKey: PublicKeyCredential.parseRequestOptionsFromJSON(publicKey),
    });
  }
  const authenticatorSelection = {
    ...publicKey.authenticatorSelection,
    residentKey: "required",
    requireResidentKey: true,
    userVerification: "required",
  };
  return navigator.credentials.create({
    publicKey: PublicKeyCredential.parseCreationOptionsFromJSON({
      ...publicKey,
      authenticatorSelection,
    }),
  });
}

/**
 * @param {HTMLFormElement} form
 */
async function fillAndSend(form) {
  const failed = form.querySelector("[data-passkey-failed]");
  if (!(failed instanceof HTMLElement)) return;
  failed.hidden = true;
  try {
    const credential = /** @type {PublicKeyCredential} */ (await credentialFor(form));
    const field = /** @type {HTMLInputElement} */ (form.elements.namedItem("credential"));
    field.value = JSON.stringify(credential.toJSON());
    form.submit();
  } catch {
    // Given up, timed out, or of another site: the browser has told the person which.
    failed.hidden = false;
  }
}

const isKnown =
  "PublicKeyCredential" in window && "parseRequestOptionsFromJSON" in PublicKeyCredential;
/** @type {NodeListOf<HTMLFormElement>} */
const forms = document.querySelectorAll("form[data-passkey]");
for (const form of isKnown ? forms : []) {
  form.hidden = false;
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    fillAndSend(form);
  });
}
for (const unknown of document.querySelectorAll("[data-passkey-unknown]")) {
  if (isKnown) unknown.remove();
}

export {};
