import { expect, it } from "vitest";

import { identifiersOf } from "./identifiers.ts";

it("finds identifiers and paths in the order of first occurrence, each once", () => {
  const text =
    "Order #W2378156 of mia_li_3668 (see src/a.ts:12, 2024-03-01). #W2378156 cost 12.50.";
  expect(identifiersOf(text)).toEqual(["#W2378156", "mia_li_3668", "src/a.ts", "2024-03-01"]);
  expect(identifiersOf("nothing of note, 12 times")).toEqual([]);
});

it("keeps names of code with their dots, and paths with their prefixes", () => {
  const text =
    "from django.http import x; ls /testbed/tests ./src ../lib/a.ts <b>1.</b> e.g. it. See";
  expect(identifiersOf(text)).toEqual(["django.http", "/testbed/tests", "../lib/a.ts"]);
});

it("reads 200,000 characters", () => {
  const text = `${"word ".repeat(39_998)}HAT136 and HAT137 and HAT138`;
  expect(identifiersOf(text)).toEqual(["HAT136"]);
});
