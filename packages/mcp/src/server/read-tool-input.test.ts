import { expect, it } from "vitest";

import { readToolInput } from "./read-tool-input.ts";

const inputSchema = {
  type: "object",
  properties: { query: { type: "string" }, limit: { type: "integer" } },
  required: ["query"],
};
const read = (given: unknown) => readToolInput({ name: "find", inputSchema }, given);

it.each([
  [
    { query: "a", limit: 3 },
    { query: "a", limit: 3 },
  ],
  [
    { text: "a", Limit: "3" },
    { query: "a", limit: 3 },
  ],
  ['{"search": "a"}', { query: "a" }],
])("takes %j in the shape of the schema", (given, value) => {
  expect(read(given)).toEqual({ ok: true, value });
});

it.each([
  [{ text: "a", words: "b" }, "query is given twice"],
  [{ query: "a", text: "b" }, 'unknown parameter "text"'],
  [{ query: "a", color: "b" }, 'unknown parameter "color"'],
  [undefined, "query"],
  ["no JSON", "find"],
])("refuses %j, and says what the tool takes", (given, reason) => {
  const found = read(given);
  const message = found.ok ? "" : (found.issues[0]?.message ?? "");
  expect(message).toContain(reason);
  expect(message).toContain("it takes query, limit");
});
