import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";

const templates = new URL("../../templates/participant/instruments/", import.meta.url);
const scripts = new URL("../../static/js/instruments/", import.meta.url);
const names = readdirSync(templates)
  .filter((name) => !name.startsWith("_"))
  .map((name) => name.replace(".html", ""));

// tsc checks what is marked with the contract's types; whether it is marked, only a look can tell.
const MARKED = /@type \{(\w+)(?:<[^*]*>)?\}\s*\*\/\s*export function (\w+)/;
const TYPES = { mount: "Mount", mountTogether: "MountTogether" };

for (const name of names) {
  test(`${name} is mounted for each output or for all together, and not both`, async () => {
    const { mount, mountTogether } = await import(new URL(`${name}.js`, scripts).href);
    assert.equal(Boolean(mount) !== Boolean(mountTogether), true);
  });

  test(`${name} is held to the contract by its types`, () => {
    const [, type, exported] = readFileSync(new URL(`${name}.js`, scripts), "utf-8").match(MARKED);
    assert.equal(type, TYPES[exported]);
  });
}

test("there are instruments to look at", () => assert.equal(names.length > 10, true));
