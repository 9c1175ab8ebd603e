import { describe, expect, it } from "vitest";

import { readSource } from "./read-sources.mjs";
import { initialRatchet, lowerRatchet, sourceProblems, tooLarge } from "./source-problems.mjs";

const none = { twins: [], cycles: [], folders: [], folderCircles: [], words: {} };
const rows = { "@ccl/left": { maxTokens: 100_000 }, "@ccl/right": { maxTokens: 100_000 } };

function sourcesOf(files) {
  return Object.entries(files).map(([file, text]) => ({
    package: file.split("/")[1],
    ...readSource(file, text),
  }));
}

const problemsOf = (files, rules = {}) =>
  sourceProblems(sourcesOf(files), { ratchet: none, allowedTwins: {}, rows, ...rules });

const helper = (name, variable = "delays") => `
export function ${name}(${variable}: number[], limit: number): number {
  let total = 0;
  for (const item of ${variable}) total += Math.min(item * 2, limit) + (item > 3 ? 1 : 0);
  return total;
}`;

describe("sourceProblems", () => {
  it("accepts two packages that share nothing", () => {
    expect(
      problemsOf({
        "packages/left/src/a.ts": helper("totalDelay"),
        "packages/right/src/b.ts": "export const answer = (value: number): number => value + 42;",
      }),
    ).toEqual([]);
  });

  it("reports one body in two packages under different names", () => {
    const files = {
      "packages/left/src/a.ts": helper("totalDelay"),
      "packages/right/src/b.ts": helper("sumOfWaits", "waits"),
    };
    const [problem, ...others] = problemsOf(files);
    expect(others).toEqual([]);
    expect(problem).toContain(
      "sumOfWaits, totalDelay stands in several packages (packages/left/src/a.ts:2, packages/right/src/b.ts:2)",
    );
    expect(problemsOf(files, { ratchet: { ...none, twins: ["sumOfWaits, totalDelay"] } })).toEqual(
      [],
    );
    expect(problemsOf(files, { allowedTwins: { "sumOfWaits, totalDelay": "why" } })).toEqual([]);
  });

  const loop = (list, size) =>
    `for (const item of ${list}.${size}) { total += Math.min(item.${size} * 2, this.${list}) + (item.${size} > 3 ? 1 : 0); count.${size} += 1; }`;
  it.each([
    ["method", (name) => `export class Left { ${name}(total) { ${loop("list", "size")} } }`],
    [
      "inner function",
      (name) => `export const a = () => { function ${name}(total) { ${loop("list", "size")} } };`,
    ],
    ["property", (name) => `export function ${name}(total) { ${loop("delays", "limit")} }`],
  ])("reports a renamed twin of a %s, and no other body", (_, twinOf) => {
    const other = `export function other(total) { ${loop("list", "size").replace("> 3", "< total")} }`;
    const files = (text) => ({
      "packages/left/src/a.ts": `export function left(total) { ${loop("list", "size")} }`,
      "packages/right/src/b.ts": text,
    });
    expect(problemsOf(files(twinOf("right")))).toEqual([
      expect.stringMatching(/^left, right stands in several packages/),
    ]);
    expect(problemsOf(files(other))).toEqual([]);
  });

  it("identifies an anonymous twin by its file", () => {
    const text = `addEventListener("close", (total) => { ${loop("list", "size")} });`;
    const files = { "packages/left/src/a.ts": text, "packages/right/src/b.ts": text };
    expect(problemsOf(files)).toEqual([expect.stringMatching(/^a.ts, b.ts stands/)]);
  });

  it("accepts one name for different bodies in two packages, unless it names a concept", () => {
    const left = (name) => `export function ${name}(value: unknown): boolean {
      return typeof value === "object" && value !== null && !Array.isArray(value);
    }`;
    const right = (name) => `export function ${name}(value: { kind: string }): boolean {
      for (const kind of ["a", "b"]) if (kind.startsWith(value.kind)) return true;
      throw new Error("unknown");
    }`;
    const files = (name) => ({
      "packages/left/src/a.ts": left(name),
      "packages/right/src/b.ts": right(name),
    });
    expect(problemsOf(files("isKnown"))).toEqual([]);
    expect(problemsOf(files("isRecord"))).toEqual([expect.stringMatching(/^isRecord stands/)]);
  });

  it("accepts repetition within one package", () => {
    expect(
      problemsOf({
        "packages/left/src/a.ts": helper("totalDelay"),
        "packages/left/src/b.ts": helper("totalWait"),
      }),
    ).toEqual([]);
  });

  it("asks to remove a reason when the twin is gone", () => {
    expect(problemsOf({}, { allowedTwins: { gone: "why" } })).toEqual([
      "twins-allowed.json: gone stands in one package only; remove it from the list",
    ]);
  });

  it("reports a circle of imports, including type imports", () => {
    const files = {
      "packages/left/src/a.ts": 'import type { B } from "./b/b.ts";\nexport type A = B;',
      "packages/left/src/b/b.ts": 'export { c as b } from "../c.ts";\nexport type B = 1;',
      "packages/left/src/c.ts": 'import "./a.ts";\nexport const c = 1;',
      "packages/left/src/d.ts": 'import "./a.ts";',
    };
    const circle = ["a", "b/b", "c"].map((name) => `packages/left/src/${name}.ts`);
    expect(problemsOf(files)).toEqual([
      `these files import each other in a circle: ${circle.join(", ")}`,
    ]);
    const ratchet = { ...none, cycles: [[...circle, "packages/left/src/gone.ts"]] };
    expect(problemsOf(files, { ratchet })).toEqual([]);
  });

  it("reports two folders that import each other through an index or a type", () => {
    const files = {
      "packages/left/src/error.ts": "export const error = 1;",
      "packages/left/src/a/index.ts": 'export { b } from "../b/b.ts";\nimport "../error.ts";',
      "packages/left/src/a/type.ts": "export type A = 1;",
      "packages/left/src/b/b.ts": 'import type { A } from "../a/type.ts";\nexport const b: A = 1;',
      "packages/left/src/index.ts": 'export { b } from "./a/index.ts";',
    };
    expect(problemsOf(files)).toEqual([
      "these folders import each other: left/a <> left/b; let one call the other only",
    ]);
    expect(problemsOf(files, { ratchet: { ...none, folders: ["left/a <> left/b"] } })).toEqual([]);
    const upwards = { ...files, "packages/left/src/b/b.ts": "export const b = 1;" };
    expect(problemsOf(upwards)).toEqual([]);
  });

  it("reports a circle of three folders", () => {
    const [a, b, c] = ["b", "c", "a"].map((to) => `import "../${to}/x.ts";`);
    const files = {
      "packages/left/src/a/x.ts": "export {};",
      "packages/left/src/a/y.ts": a,
      "packages/left/src/b/x.ts": b,
      "packages/left/src/c/x.ts": c,
    };
    expect(problemsOf(files)).toEqual([
      "these folders import each other in a circle: left/a, left/b, left/c",
    ]);
    const ratchet = { ...none, folderCircles: [["left/a", "left/b", "left/c"]] };
    expect(problemsOf(files, { ratchet })).toEqual([]);
  });

  it("counts words in names and comments, but not in strings", () => {
    const files = {
      "packages/left/src/a.ts":
        '// Nobody hears this.\nexport const runDesk = (a: string): string => a + "desk";',
    };
    expect(problemsOf(files, { ratchet: { ...none, words: { left: 2 } } })).toEqual([
      "left has 3 words in names and comments that are not the field's, at most 2: desk 1, nobody 1, hear 1",
    ]);
    expect(problemsOf(files, { ratchet: { ...none, words: { left: 3 } } })).toEqual([]);
  });

  it("reports a package above its budget, and one without a budget", () => {
    const files = { "packages/left/src/a.ts": "export const a = 1;" };
    expect(problemsOf(files, { rows: { "@ccl/left": { maxTokens: 5 } } })).toEqual([
      "@ccl/left has 6 tokens of code; at most 5",
    ]);
    expect(problemsOf(files, { rows: {} })).toEqual([
      "package-graph.json gives @ccl/left no maxTokens",
    ]);
  });

  it("reports a large function, and fails at twice the size", () => {
    const sum = (count) =>
      `export function sum(): number { return ${Array.from({ length: count }, () => "1").join(" + ")}; }`;
    const large = { "packages/left/src/a.ts": sum(300) };
    expect(problemsOf(large)).toEqual([]);
    expect(tooLarge(sourcesOf(large))).toEqual([
      "packages/left/src/a.ts:1 sum has 610 tokens; at most 500",
    ]);
    expect(problemsOf({ "packages/left/src/a.ts": sum(600) })).toEqual([
      "packages/left/src/a.ts:1 sum has 1210 tokens; at most 500; more than twice the budget",
    ]);
  });
});

describe("lowerRatchet", () => {
  it("removes fixed findings, and adds none", () => {
    const before = sourcesOf({
      "packages/left/src/a.ts": `// whoever, nobody${helper("one")}`,
      "packages/right/src/b.ts": helper("two"),
    });
    const ratchet = initialRatchet(before);
    expect(ratchet).toEqual({ ...none, twins: ["one, two"], words: { left: 2 } });
    const after = sourcesOf({
      "packages/left/src/a.ts": `// whoever${helper("one")}`,
      "packages/right/src/b.ts": `// nobody${helper("three")}`,
    });
    expect(lowerRatchet(after, { ratchet, allowedTwins: {} })).toEqual({
      ...none,
      words: { left: 1 },
    });
  });
});

describe("readSource", () => {
  it("counts tokens around templates, regular expressions and comments", () => {
    const text = "// c\nexport const a = (b: string) => /x\\/y/.test(`1${b}2`); /* d */\n";
    const { tokens, comments } = readSource("a.ts", text);
    // export const a = ( b : string ) => /x\/y/ . test ( `1${ b }2` ) ;
    expect(tokens).toBe(19);
    expect(comments).toEqual(["// c", "/* d */"]);
  });
});
