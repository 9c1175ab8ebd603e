import { expect, it } from "vitest";

import { readDecisions } from "./read-decisions.ts";

it("reads the decisions of a file, and passes over what was cut off or is none", () => {
  const whole = { at: "a", credit: 1.5, edits: [[2, { text: "short", form: "cut" }]] };
  const empty = { at: "b", credit: 0, edits: [] };
  const broken = [
    JSON.stringify(whole).slice(0, -5),
    "[]",
    "null",
    JSON.stringify({ ...whole, at: 1 }),
    JSON.stringify({ ...whole, credit: "1" }),
    JSON.stringify({ ...whole, edits: {} }),
    "",
  ];
  const lines = [JSON.stringify(whole), ...broken, JSON.stringify(empty)];
  expect(readDecisions(lines.join("\n"))).toEqual([whole, empty]);
});
