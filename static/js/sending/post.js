// Calls to the server: JSON out, JSON in; rejects where there is no connection.

/** @import { ServerAnswer } from "../work/types.js" */

const PATIENCE_MS = 20_000;

/** @param {string} token the page's proof that a call is its own; it can be renewed */
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
