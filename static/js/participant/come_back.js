// The consent page of a browser that was in this study before: offers to continue where it stopped.

import { openStorage } from "../sending/storage.js";
import { keptLink } from "./kept_link.js";

async function offer() {
  const link = await keptLink(await openStorage(indexedDB), location.pathname);
  if (!link) return;
  const place = document.getElementById("come-back");
  if (!place) return;
  place.querySelector("a")?.setAttribute("href", link);
  place.hidden = false;
}

// Where the browser keeps nothing, there is nothing to offer.
offer().catch(() => undefined);
// A browser that knows modules may still be too old; only such a one fetches the script that says so.
// @ts-expect-error: it exports nothing, because it must not be a module either.
if (!("HTMLDialogElement" in globalThis)) import("./old_browser.js");
