import { estimatedCounter } from "@ccl/core";
import fc from "fast-check";
import { expect, it } from "vitest";

import { nameList } from "./name-list.ts";

/** The names in a rendered list. */
function namesIn(text: string): string[] {
  return text.split("\n").flatMap((line) => {
    if (/^and \d+ more$/.test(line)) return [];
    const [, server = "", names = line] = /^(\S+): (.*)$/.exec(line) ?? [];
    return names.split(" ").flatMap((name) => expanded(name).map((own) => server + own));
  });
}

function expanded(text: string): string[] {
  const open = text.indexOf("{");
  if (open < 0) return [text];
  const parts: string[] = [];
  let depth = 0;
  let from = open + 1;
  for (let at = open; at < text.length; at++) {
    const sign = text[at];
    if (sign === "{") depth += 1;
    if (sign === "}") depth -= 1;
    const isEnd = sign === "}" && depth === 0;
    if ((sign === "," && depth === 1) || isEnd) {
      parts.push(text.slice(from, at));
      from = at + 1;
    }
  }
  return parts.flatMap((part) => expanded(text.slice(0, open) + part));
}

const part = fc.constantFrom("get", "list", "issue", "issues", "create", "x1", "Repo");
const own = fc
  .array(fc.tuple(part, fc.constantFrom("_", "-", ".", "")), { minLength: 1, maxLength: 4 })
  .map((parts) => parts.flat().join(""));
const name = fc
  .tuple(fc.constantFrom("github__", "jira__", "a/", ""), own)
  .map((parts) => parts.join(""));

it("contains every name, whatever prefixes they share", () => {
  fc.assert(
    fc.property(fc.uniqueArray(name, { minLength: 1, maxLength: 30 }), (names) => {
      const text = nameList(names, { budget: 10_000, counter: estimatedCounter });
      expect(namesIn(text).sort()).toEqual([...names].sort());
    }),
  );
});

it("writes a common prefix once, and counts the names left out", () => {
  const names = ["issue", "issues", "pull_request", "pull_request_review"].flatMap((what) =>
    ["create", "list", "get"].map((verb) => `github__${verb}_${what}`),
  );
  const options = { budget: 1_000, counter: estimatedCounter };
  expect(nameList([...names, "time__now"], options)).toMatchInlineSnapshot(`
    "github__: create_{issue,issues,pull_request,pull_request_review} get_{issue,issues,pull_request,pull_request_review} list_{issue,issues,pull_request,pull_request_review}
    time__now"
  `);
  const few = nameList(names, { ...options, budget: 15 });
  expect(few).toMatch(/and \d+ more$/);
  expect(estimatedCounter.count(few)).toBeLessThanOrEqual(15);
  expect(nameList(names, { ...options, budget: 1 })).toBe("");
});
