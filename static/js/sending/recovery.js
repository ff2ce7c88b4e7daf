// When the server no longer knows this browser (its cookie is gone): the way back without a loss.

const TRY_AGAIN_MS = 30_000;

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

  return {
    /** Whether the server knows the rater again; not tried more than twice a minute. */
    async tryToReturn() {
      if (!addresses.resume || now() - lastTried < TRY_AGAIN_MS) return false;
      lastTried = now();
      return ask().catch(() => false);
    },
  };
}
