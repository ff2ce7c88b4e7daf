// Calls to the server, and the way back to it when it no longer knows this browser.

/** @import { ServerAnswer } from "../work/types.js" */

const PATIENCE_MS = 20_000;
const TRY_AGAIN_MS = 30_000;

/**
 * JSON out, JSON in; rejects where there is no connection.
 *
 * @param {string} token the page's proof that a call is its own; it can be renewed
 */
export function createPost(token) {
  /**
   * @param {string} address
   * @param {object} [document]
   * @returns {Promise<ServerAnswer>}
   */
  async function post(address, document = {}) {
    const answer = await fetch(address, {
      method: "POST",
      headers: { "Content-Type": "application/json", "X-CSRFToken": token },
      credentials: "same-origin",
      body: JSON.stringify(document),
      signal: AbortSignal.timeout(PATIENCE_MS),
    });
    // A page of a proxy or a portal is not the site's answer, even if its status is 200.
    const isOurs = answer.headers.get("Content-Type")?.startsWith("application/json");
    if (answer.ok && !isOurs) throw new Error("this answer came from somebody else");
    return { status: answer.status, document: isOurs ? await answer.json() : null };
  }
  /** @param {string} renewed */
  post.useToken = (renewed) => {
    token = renewed;
  };
  return post;
}

/**
 * The page holds the rater's personal link. Asking for that link brings the cookie back; after
 * that the server gives a new token, and what waits can be sent under the same rater.
 *
 * @param {{ addresses: { resume: string, session: string }, request: typeof fetch,
 *   useToken: (token: string) => void, now: () => number }} parts
 */
export function createRecovery({ addresses, request, useToken, now }) {
  let lastTried = -Infinity;

  async function ask() {
    // The answer is a redirect to the work page. Its cookie is all that we need of it.
    await request(addresses.resume, { redirect: "manual", credentials: "same-origin" });
    const answer = await request(addresses.session, { credentials: "same-origin" });
    if (!answer.ok) return false;
    useToken((await answer.json()).token);
    return true;
  }

  /** Whether the server knows the rater again; not tried more than twice a minute. */
  return async () => {
    if (!addresses.resume || now() - lastTried < TRY_AGAIN_MS) return false;
    lastTried = now();
    return ask().catch(() => false);
  };
}
