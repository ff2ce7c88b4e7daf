// "Report a problem": a short text about the screen, which goes out with the answers.

/** @import { Notice, Outbox, PageDocument, PageStorage, ScreenId } from "./types.js" */

/**
 * Tie the dialog to its button. What is sent waits in the outbox, as answers do, so that it needs
 * no connection and costs no answer.
 *
 * @param {{ dialog: HTMLDialogElement, form: HTMLFormElement, button: HTMLElement,
 *   page: PageDocument, outbox: Outbox,
 *   storage: PageStorage, notice: Notice,
 *   here: () => ScreenId | undefined }} parts
 *   here: the screen in front of the rater
 */
export function tieComplaints({ dialog, form, button, page, outbox, storage, notice, here }) {
  const field = /** @type {HTMLTextAreaElement} */ (form.elements.namedItem("complaint"));
  /** @type {ScreenId | undefined} */
  let about;
  // A dialog may have to wait until a measured trial is over; it is about what was pressed on.
  button.addEventListener("click", () => {
    about = here() ?? about;
    notice("complaint", "");
  });
  dialog.addEventListener("close", async () => {
    const text = field.value.trim();
    if (dialog.returnValue !== "send" || !text || !about || page.preview) return;
    const { trial, screen } = about;
    const complaint = {
      version: page.version,
      key: crypto.randomUUID(),
      assignment: page.assignment,
      trial: typeof trial === "number" ? trial : null,
      screen,
      complaint: text,
    };
    await storage.change((transaction) => outbox.enqueue(transaction, complaint));
    field.value = "";
    dialog.returnValue = "";
    notice("complaint", page.words.complaint_kept, "info");
    outbox.flush();
  });
}
