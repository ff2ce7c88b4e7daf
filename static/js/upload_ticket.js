// Tells the server that an upload begins, before the file is sent: it may then end after the close.

const PATIENCE = 10_000; // milliseconds; the upload begins without a ticket if none has come

/**
 * @param {HTMLFormElement} form
 * @param {HTMLInputElement} ticket
 */
async function askForTicket(form, ticket) {
  const body = new FormData();
  for (const name of ["csrfmiddlewaretoken", "track"]) {
    body.set(name, String(new FormData(form).get(name)));
  }
  const signal = AbortSignal.timeout(PATIENCE);
  const answer = await fetch(form.dataset.tickets ?? "", { method: "POST", body, signal });
  ticket.value = answer.ok ? (await answer.json()).ticket : "";
}

/** @type {HTMLFormElement | null} */
const form = document.querySelector("form[data-tickets]");
/** @type {HTMLInputElement | null} */
const ticket = document.querySelector("form[data-tickets] [name=ticket]");
if (form && ticket) {
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    // A refused or lost request costs the grace alone: the upload goes on.
    await askForTicket(form, ticket).catch(() => {});
    form.submit();
  });
}

export {};
