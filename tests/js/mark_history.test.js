import assert from "node:assert/strict";
import { test } from "node:test";

import { History } from "../../static/js/marks/history.js";

test("events stop before the server would refuse them, and marks go on", () => {
  const history = new History({ now: () => 1_700_000_000_000, onChange: () => {} });
  const mark = (/** @type {number} */ id) => ({
    ...{ id, side: /** @type {const} */ ("output"), start: 0, end: 900, text: "界".repeat(900) },
    ...{ severity: "minor", category: "", note: "", missing: false },
  });
  for (let id = 1; id <= 40; id++) history.change([...history.marks(), mark(id)]);
  const bytes = new TextEncoder().encode(JSON.stringify(history.events())).length;
  assert.equal(history.marks().length, 40);
  assert.ok(bytes > 30_000 && bytes < 40_000, String(bytes));
});
