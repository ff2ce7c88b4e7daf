import assert from "node:assert/strict";
import { test } from "node:test";
import { inSigns } from "../../static/js/blocks/pictorial.js";
import { digitOfKey, plainNumber } from "../../static/js/instruments/digits.js";
import { keyTarget } from "../../static/js/instruments/line.js";
import { parseScore } from "../../static/js/instruments/rankme.js";
import { leastLength, problemOf } from "../../static/js/instruments/text.js";

const scale = { minimum: 0, maximum: 200, start: 100, step: 1 };

test("arrows move by one, page keys by ten, home and end to the ends", () => {
  const moves = {
    ArrowRight: 51,
    ArrowUp: 51,
    ArrowLeft: 49,
    ArrowDown: 49,
    PageUp: 60,
    PageDown: 40,
  };
  for (const [key, target] of Object.entries(moves))
    assert.equal(keyTarget(key, 50, scale), target);
  assert.equal(keyTarget("Home", 50, scale), 0);
  assert.equal(keyTarget("End", 50, scale), 200);
  assert.equal(keyTarget("x", 50, scale), undefined);
  assert.equal(keyTarget("Enter", 50, scale), undefined);
});

test("the first arrow only puts the handle on the line", () => {
  assert.equal(keyTarget("ArrowLeft", null, scale), 100);
});

test("in a page from right to left the sideways arrows change sides", () => {
  assert.equal(keyTarget("ArrowRight", 50, scale, true), 49);
  assert.equal(keyTarget("ArrowLeft", 50, scale, true), 51);
  assert.equal(keyTarget("ArrowUp", 50, scale, true), 51);
});

test("a typed score may go beyond the line, and nonsense is no score", () => {
  assert.equal(parseScore("350", 999_999), 350);
  assert.equal(parseScore(" 12,5 ", 999_999), 12.5);
  for (const text of ["", "-1", "0", "0.0", "1e9", "ten", "1000000", "Infinity", "0x10", "1.2.3"]) {
    assert.ok(Number.isNaN(parseScore(text, 999_999)), text);
  }
});

test("a score that was typed beyond the line stays there", () => {
  assert.equal(keyTarget("ArrowRight", 350, scale), 351);
  assert.equal(keyTarget("End", 350, scale), 350);
});

test("digits of any script are digits", () => {
  assert.equal(plainNumber(" ٣٤ "), "34");
  assert.equal(plainNumber("۱۲٫۵"), "12.5");
  assert.equal(plainNumber("९०"), "90");
  assert.equal(plainNumber("１２，５"), "12.5");
  assert.equal(plainNumber("𝟗𝟘𝟙"), "901"); // two sets of ten that touch
  assert.equal(plainNumber("x1"), "x1");
});

test("a key has its digit on every keyboard", () => {
  const digitOn = (key, code, shiftKey = false) => digitOfKey({ key, code, shiftKey });
  assert.equal(digitOn("2", "Digit2"), 2);
  assert.equal(digitOn("2", "Numpad2"), 2);
  assert.equal(digitOn("٢", "Digit2"), 2);
  assert.equal(digitOn("ě", "Digit2"), 2, "Czech");
  assert.equal(digitOn("2", "Digit2", true), 2, "French, with Shift");
  assert.equal(digitOn("@", "Digit2", true), null, "American, with Shift");
  assert.equal(digitOn("F2", "F2"), null);
  assert.equal(digitOn("Delete", "Delete"), null);
});

const words = {
  too_short: "short {least}",
  too_long: "long {most}",
  strange_characters: "strange {characters}",
};
const options = { least: 3, most: 5, characters: ",'.:;£", least_of_input: 0 };

test("texts are checked as the server checks them", () => {
  assert.equal(problemOf("ab", options, 3, words), "short 3");
  assert.equal(problemOf("abcdef", options, 3, words), "long 5");
  assert.equal(problemOf("a!b?!", options, 3, words), "strange ! ?");
  assert.equal(problemOf("£3, ü", options, 3, words), "");
  assert.equal(problemOf("a!b", { ...options, characters: null }, 3, words), "");
});

test("a character outside the basic plane is one character", () => {
  assert.equal(problemOf("😀😀😀😀😀", { ...options, characters: null }, 3, words), "");
});

test("the least length may depend on the input", () => {
  const lengthOf = (given, ...input) => leastLength({ less_per_attribute: 0, ...given }, ...input);
  const published = { least: 0, least_of_input: 1, less_per_attribute: 10 };
  assert.equal(lengthOf(published, "name[The Mill], food[Italian]".length, 2), 9);
  assert.equal(lengthOf({ least: 3, least_of_input: 0.5 }, 40), 20);
  assert.equal(lengthOf({ least: 30, least_of_input: 0.5 }, 40), 30);
  assert.equal(lengthOf({ least: 3, least_of_input: 0 }), 3);
});

test("values are shown with their signs where there are any", () => {
  assert.equal(inSigns("customer rating", "3 out of 5"), "★★★☆☆");
  assert.equal(inSigns("customer rating", "low"), "★☆☆☆☆");
  assert.equal(inSigns("rating", "high"), "★★★★★");
  assert.equal(inSigns("priceRange", "moderate"), "££");
  assert.equal(inSigns("priceRange", "less than £20"), "less than £20");
  assert.equal(inSigns("familyFriendly", "no"), "✗");
  assert.equal(inSigns("food", "Chinese"), "Chinese");
});
