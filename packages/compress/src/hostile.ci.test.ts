import { describe, expect, it } from "vitest";

import { compress } from "./compress.ts";
import { readContent } from "./read-content.ts";
import { findRepeat } from "./repeats/find-repeat.ts";
import { searchContent } from "./search-content.ts";

const size = 400_000;
const large = (text: string): string => text.repeat(Math.ceil(size / text.length)).slice(0, size);

/** Anything that takes more than linear time here exceeds the test's time limit. */
const hostile: Record<string, string> = {
  "one line": large("x y-z.1 "),
  "one word": "x".repeat(size),
  "blank lines": "\n".repeat(size),
  "lines of blanks": large(`${" ".repeat(79)}\n`),
  tabs: "\t".repeat(size),
  "carriage returns": large("a\r"),
  brackets: "[".repeat(size),
  "braces on lines": large("{\n"),
  "closing braces": large("}\n{"),
  "JSON that nests": `${'{"a":'.repeat(size / 8)}1${"}".repeat(size / 8)}`,
  "lists that nest": `${"[".repeat(size / 2)}${"]".repeat(size / 2)}`,
  "a list of lists": `[${large("[],")}[]]`,
  "many keys": JSON.stringify(
    Object.fromEntries(Array.from({ length: 10_000 }, (_, at) => [`k${at}`, { [`m${at}`]: at }])),
  ),
  "rows of other keys": JSON.stringify(
    Array.from({ length: 3_000 }, (_, at) => ({ [`k${at}`]: at })),
  ),
  "deeper and deeper": Array.from({ length: 1_400 }, (_, at) => `${" ".repeat(at)}key:`).join("\n"),
  "a table of many columns": `${large("a,")}b\n${large("1,")}2\n${large("1,")}2\n`,
  "quotes that do not end": large('error: "'),
  "a cell that does not end": `a,b\n1,2\n3,"${large("x\n")}`,
  "tags that do not end": large("<!doctype html><html><div <!-- <script "),
  entities: `<html>${large("&#38;&amp;&")}`,
  "escapes that do not end": large("\u001B]\u001B["),
  paths: large("a/b/c.d/"),
  dots: large("a."),
  "a path that is none": `src/a.ts\n1:x\n\n${large("a.")}:\n1:x\n`,
  "equals signs": `${"=".repeat(size)} x`,
  "heads of sections": `=== test session starts\n${large("=== a === ===x\n")}`,
  underscores: `=== test session starts\n${large("_ ")}`,
  dashes: large("- "),
  hashes: large("# "),
  "places of errors": large("a.ts(1,2): error "),
  digits: large("1.2:3,4/5-"),
  capitals: large("AException "),
  patches: `--- a\n+++ b\n@@ -1 +1 @@\n${large("@@ -1,1 +1,1 @@\n")}`,
  surrogates: "\uD83D".repeat(size),
  zeros: "\0".repeat(size),
};

describe.each(Object.entries(hostile))("%s", (_name, text) => {
  const query = "Why does order 4711 fail in a/b/c.d?";

  it("is shown within its budget", () => {
    expect(compress(text, { budget: 200, query }).tokens).toBeLessThanOrEqual(200);
  });

  it("is searched, read and compared", () => {
    expect(searchContent(text, { query }).tokens).toBeLessThanOrEqual(400);
    expect(readContent(text, { from: 1, to: 1e9 }).tokens).toBeLessThanOrEqual(400);
    const known = [
      { name: "before", content: `${text.slice(0, size / 2)}!${text.slice(size / 2)}` },
    ];
    expect(findRepeat(text, known)?.text).not.toBe("");
  });
});
