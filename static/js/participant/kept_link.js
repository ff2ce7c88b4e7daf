// The rater's personal link, kept in the browser until the batch is done: cookies are lost sooner.

/** @import { PageStorage } from "../work/types.js" */

/** @param {string} door */
const idOf = (door) => `resume:${door}`;

/**
 * @param {PageStorage} storage
 * @param {string} door the path of the campaign's link, by which a consent page asks for it
 * @param {string} link
 */
export const keepLink = (storage, door, link) =>
  storage.change((transaction) => transaction.put("drafts", { id: idOf(door), link }));

/**
 * @param {PageStorage} storage
 * @param {string} door
 */
export const forgetLink = (storage, door) =>
  storage.change((transaction) => transaction.delete("drafts", idOf(door)));

/**
 * The path of the link that was kept for this campaign; "" without one.
 *
 * @param {PageStorage} storage
 * @param {string} door
 * @returns {Promise<string>}
 */
export async function keptLink(storage, door) {
  /** @type {{ link?: string } | undefined} */
  const kept = await storage.change((transaction) => transaction.get("drafts", idOf(door)));
  return kept?.link?.startsWith(`${door}resume/`) ? kept.link : "";
}
