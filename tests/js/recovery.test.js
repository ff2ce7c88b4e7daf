import assert from "node:assert/strict";
import { test } from "node:test";

import { createRecovery } from "../../static/js/sending/post.js";

function recovering({
  session = { ok: true, json: async () => ({ token: "new" }) },
  resume = "/r/x/resume/t/",
} = {}) {
  const seen = [];
  const tokens = [];
  let now = 0;
  const tryToReturn = createRecovery({
    addresses: { resume, session: "/r/x/session/" },
    request: async (address) => {
      seen.push(address);
      if (address === "/r/x/session/" && session instanceof Error) throw session;
      return session;
    },
    useToken: (token) => tokens.push(token),
    now: () => now,
  });
  return { tryToReturn, seen, tokens, pass: (milliseconds) => (now += milliseconds) };
}

test("the personal link brings the cookie, and then comes a new token", async () => {
  const { tryToReturn, seen, tokens } = recovering();
  assert.equal(await tryToReturn(), true);
  assert.deepEqual(seen, ["/r/x/resume/t/", "/r/x/session/"]);
  assert.deepEqual(tokens, ["new"]);
});

for (const session of [{ ok: false }, new Error("offline")]) {
  test(`without success it is not tried again at once (${session})`, async () => {
    const { tryToReturn, seen, pass } = recovering({ session });
    assert.equal(await tryToReturn(), false);
    assert.equal(await tryToReturn(), false);
    assert.equal(seen.length, 2);
    pass(30_000);
    await tryToReturn();
    assert.equal(seen.length, 4);
  });
}

test("a page without a personal link does not try", async () => {
  const { tryToReturn, seen } = recovering({ resume: "" });
  assert.equal(await tryToReturn(), false);
  assert.deepEqual(seen, []);
});
