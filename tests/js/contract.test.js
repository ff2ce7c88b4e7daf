import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { test } from "node:test";

import { INSTRUMENT_MODULES } from "./instrument_modules.js";

const templates = new URL("../../templates/participant/instruments/", import.meta.url);

test("every instrument that has a template is held to the contract", () => {
  const names = readdirSync(templates)
    .filter((name) => !name.startsWith("_"))
    .map((name) => name.replace(".html", ""));
  assert.deepEqual(Object.keys(INSTRUMENT_MODULES), names.sort());
});

for (const [name, { mount, mountTogether }] of Object.entries(INSTRUMENT_MODULES)) {
  test(`${name} is mounted for each output or for all together, and not both`, () => {
    assert.equal(Boolean(mount) !== Boolean(mountTogether), true);
  });
}
