import assert from "node:assert/strict";
import { test } from "node:test";

import { uncommon } from "../../static/js/blocks/difference.js";

/** The words of each text that the other one does not have, in their order. */
const differing = (one, other) => {
  const found = uncommon(one.split(" "), other.split(" "));
  return found.map((marks, index) =>
    [one, other][index]
      .split(" ")
      .filter((_, place) => marks[place])
      .join(" "),
  );
};

test("equal texts do not differ", () => {
  assert.deepEqual(differing("a b c", "a b c"), ["", ""]);
});

test("words in the middle, at the start and at the end are found", () => {
  assert.deepEqual(differing("a b c", "a x c"), ["b", "x"]);
  assert.deepEqual(differing("x a b", "a b"), ["x", ""]);
  assert.deepEqual(differing("a b", "a b x y"), ["", "x y"]);
  assert.deepEqual(differing("a b", "c d"), ["a b", "c d"]);
});

test("what is repeated is matched once", () => {
  assert.deepEqual(differing("a a a", "a"), ["a a", ""]);
});

test("a sentence that moved is kept as a whole", () => {
  assert.deepEqual(differing("s1 s2 s3 x y", "x y s1 s2 s3"), ["x y", "x y"]);
});

test("what both texts share is the longest sequence, whatever they are", () => {
  let seed = 7;
  const random = () => {
    seed = (seed * 16807) % 2147483647;
    return seed / 2147483647;
  };
  const text = () =>
    Array.from({ length: Math.floor(random() * 7) }, () => "abc"[Math.floor(random() * 3)]);
  /** The longest common sequence, by trying everything. */
  const longest = ([first, ...rest], other) => {
    if (first === undefined) return 0;
    const place = other.indexOf(first);
    const without = longest(rest, other);
    return place < 0 ? without : Math.max(without, 1 + longest(rest, other.slice(place + 1)));
  };
  for (let round = 0; round < 500; round += 1) {
    const [one, other] = [text(), text()];
    const [marks, otherMarks] = uncommon(one, other);
    const shared = one.filter((_, place) => !marks[place]);
    assert.deepEqual(
      shared,
      other.filter((_, place) => !otherMarks[place]),
    );
    assert.equal(shared.length, longest(one, other));
  }
});

test("texts that are too long for the table are not compared, unless they are nearly equal", () => {
  const long = Array.from({ length: 20_000 }, (_, place) => `w${place}`);
  const reversed = [...long].reverse();
  assert.equal(uncommon(long, reversed), null);
  const changed = [...long];
  changed[10_000] = "x";
  assert.equal(uncommon(long, changed)[0].filter(Boolean).length, 1);
});
