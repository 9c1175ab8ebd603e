import { describe, expect, it } from "vitest";

import { findingsOf, newFindings } from "./findings-of.ts";

/** One finding as a tool prints it: where it is, and a name that its text holds. */
type Printed = (line: number, name: string) => string;

const tools: [string, Printed, summary: (count: number) => string][] = [
  ["tsc", (line, name) => `a.ts(${line},7): error TS2304: Cannot find name '${name}'.`, () => ""],
  [
    "tsc, pretty",
    (line, name) =>
      `\u001B[96ma.ts\u001B[0m:\u001B[93m${line}\u001B[0m:\u001B[93m7\u001B[0m - \u001B[91merror\u001B[0m\u001B[90m TS2304: \u001B[0mCannot find name '${name}'.\n\n\u001B[7m${line}\u001B[0m const a = ${name};\n`,
    (count) => `Found ${count} errors in the same file, starting at: a.ts:1`,
  ],
  [
    "eslint",
    (line, name) =>
      `${line === 1 ? "\n/tmp/x/a.mjs\n" : ""}  ${line}:1  error  '${name}' is not defined  no-undef`,
    (count) => `\n✖ ${count} problems (${count} errors, 0 warnings)`,
  ],
  [
    "biome",
    (line, name) =>
      `a.js:${line}:16 lint/suspicious/noDoubleEquals ━━━━━━━━━━\n\n  × Use === in ${name}\n\n  > ${line} │ ${name} == 2\n`,
    (count) => `Found ${count} errors.`,
  ],
  [
    "oxlint",
    (line, name) =>
      `  × eslint(no-undef): '${name}' is not defined.\n   ╭─[a.js:${line}:1]\n ${line} │ ${name}\n   ╰────\n`,
    () => "",
  ],
  [
    "mypy",
    (line, name) => `a.py:${line}: error: Name "${name}" is not defined  [name-defined]`,
    (count) => `Found ${count} errors in 1 file (checked 1 source file)`,
  ],
  [
    "ruff",
    (line, name) =>
      `F821 Undefined name \`${name}\`\n --> a.py:${line}:1\n  |\n${line} | ${name}\n  | ^^^\n`,
    (count) => `Found ${count} errors.`,
  ],
  [
    "ruff, concise",
    (line, name) => `a.py:${line}:1: F821 Undefined name \`${name}\``,
    (count) => `Found ${count} errors.`,
  ],
  [
    "gcc",
    (line, name) =>
      `a.c: In function ‘f’:\na.c:${line}:24: error: ‘${name}’ undeclared (first use in this function)\na.c:${line}:24: note: each undeclared identifier is reported only once`,
    () => "",
  ],
  [
    "rustc",
    (line, name) =>
      `error[E0425]: cannot find value \`${name}\` in this scope\n --> a.rs:${line}:20\n  |\n${line} | ${name}\n  | ^^^ not found\n`,
    (count) => `error: aborting due to ${count} previous errors`,
  ],
  [
    "pyright",
    (line, name) =>
      `  /tmp/x/a.py:${line}:5 - error: "${name}" is not defined (reportUndefinedVariable)`,
    (count) => `${count} errors, 0 warnings, 0 informations`,
  ],
  [
    "node --test",
    (line, name) =>
      `# Subtest: ${name}\nnot ok ${line} - ${name}\n  ---\n  duration_ms: 0.${line}\n  ...`,
    (count) => `# fail ${count}`,
  ],
];

const FRESH = ["one", "two", "three", "four", "five"];

describe.each(tools)("findings of %s", (_name, printed, summary) => {
  const print = (names: readonly string[], from: number): string =>
    `${names.map((name, index) => printed(from + index, name)).join("\n")}\n${summary(names.length)}\n`;
  const before = findingsOf(print(["old"], 1));

  it("show five new errors behind an old one, wherever that now stands", () => {
    const found = newFindings(before, findingsOf(print([...FRESH, "old"], 1)));
    expect(found).toHaveLength(5);
    for (const name of FRESH) expect(found.some((one) => one.includes(name))).toBe(true);
  });

  it("show nothing new where the old one has moved", () => {
    expect(before.size).toBe(1);
    const moved = print(["old"], 1).replaceAll(/\b1\b/g, "9");
    expect(newFindings(before, findingsOf(moved))).toEqual([]);
  });
});

it("counts the same finding", () => {
  const line = "a.js:1:1: no-debugger: Unexpected debugger\n";
  const found = newFindings(findingsOf(line), findingsOf(line.repeat(3)));
  expect(found).toEqual(["a.js: no-debugger: Unexpected debugger (2 times)"]);
});

it.each([
  "Listening on 127.0.0.1:8080: ready",
  "12:30:01 info started",
  "    at run (src/a.ts:3:4)",
  "a.c:3:4: warning: unused variable",
  "src/a.ts:3:4: note: declared here",
])("takes %j for no finding", (line) => {
  expect([...findingsOf(line).keys()]).toEqual([]);
});
