import { readFileSync } from "node:fs";

import { describe, expect, it } from "vitest";

import { compress } from "./compress.ts";

const readme = readFileSync(new URL("../README.md", import.meta.url), "utf8");
const example =
  /\n\*\*([^*]+)\*\* in (\d+) tokens(?:, asked "([^"]+)")?:\n\n```\w*\n([^]*?)\n```\n\nbecomes\n\n```\n([^]*?)\n```\n/g;
const examples = [...readme.matchAll(example)].map(
  ([, name = "", budget, query, before = "", after = ""]) =>
    [name, { budget: Number(budget), query, before, after }] as const,
);

describe("the README's examples", () => {
  it("are a log, a test run, a diff and a table", () => {
    expect(examples.map(([name]) => name)).toEqual(["A log", "A test run", "A diff", "A table"]);
  });

  it.each(examples)("show the output for %s", (_name, { budget, query, before, after }) => {
    const shown = compress(before, { budget, query });
    expect(shown.text).toBe(after);
    expect(shown.tokens).toBeLessThanOrEqual(budget);
  });
});
