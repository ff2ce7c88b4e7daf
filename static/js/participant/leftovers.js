// Answers that this browser still keeps leave it on pages without work, too.

import { Outbox, systemClock } from "../sending/outbox.js";
import { createPost } from "../sending/post.js";
import { openStorage } from "../sending/storage.js";

const place = /** @type {HTMLElement} */ (document.getElementById("leftovers"));
const { rater = "", submit = "", csrf = "" } = place.dataset;
const post = createPost(csrf);

sendAll().catch(() => undefined); // a browser that keeps nothing has nothing to send

async function sendAll() {
  let stored = 0;
  const outbox = new Outbox({
    storage: await openStorage(indexedDB),
    send: (payload) => post(submit, payload),
    clock: systemClock,
    rater,
    report: {
      stored: () => (stored += 1),
      // What the server has now may lead to another page. Nothing is sent twice, so this ends.
      waiting: (count) => count === 0 && stored > 0 && location.reload(),
    },
  });
  addEventListener("online", () => outbox.flush());
  await outbox.flush();
}
