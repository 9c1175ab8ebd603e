import { describe, expect, it } from "vitest";
import { buildOutline } from "./build/build-outline.ts";

const repeated = (text: string, count: number): string => text.repeat(count);
const SOURCES: [string, string][] = [
  [
    "10,000 nested parentheses",
    `export const x = ${repeated("(", 10_000)}1${repeated(")", 10_000)};`,
  ],
  ["20,000 open brackets", repeated("[", 20_000)],
  ["20,000 ambiguous blocks, which overflow the parser's stack", repeated("a: {", 20_000)],
  ["900 nested namespaces", repeated("export namespace A {", 900) + repeated("}", 900)],
  ["NUL bytes", repeated("export const a = 1\0;\0", 500)],
  ["lone surrogates", repeated("export const a = '\ud800';\n", 50)],
  ["a byte order mark and carriage returns", "\ufeffexport const a = 1;\r\n\tclass B {\r\n\t}\r\n"],
  ["quotes that never close", repeated("\"'`", 500)],
  ["a long chain of calls", `export const x = y${repeated(".z()", 5_000)};`],
  ["a long list of names", `export const ${repeated("a,", 5_000)}b;`],
  ["10,000 nested modules", repeated("module A\n", 10_000)],
  ["a line of 200,000 blanks", `class ${repeated(" ", 200_000)}X`],
  ["a long run of comments", `${repeated("/** a */\n", 5_000)}export const a = 1;`],
];
const PATHS = [
  "a.ts",
  "a.js",
  "a.tsx",
  "a.py",
  "a.go",
  "a.rs",
  "a.java",
  "a.cpp",
  "a.cs",
  "a.php",
  "a.rb",
  "a.sh",
  "a.kt",
  "a.swift",
  "a.scala",
  "a.sql",
  "a.md",
  "a.json",
  "a.yaml",
];

describe("buildOutline on hostile text", () => {
  it.each(SOURCES)("survives %s in every language", async (_, text) => {
    for (const path of PATHS) {
      const outline = await buildOutline({ path, text });
      expect(outline.text.length).toBeLessThan(4 * text.length + 200);
    }
  });

  it("shows exports line by line for a text that is too long to parse", async () => {
    const outline = await buildOutline({
      path: "a.ts",
      text: repeated("export const a = 1;\n", 110_000),
    });
    expect(outline).toMatchObject({ text: "const a = 1", unread: ["a"], hasErrors: true });
  });

  it("still reads ordinary text after a hostile one", async () => {
    await buildOutline({ path: "a.ts", text: repeated("a: {", 900) });
    const outline = await buildOutline({ path: "a.ts", text: "export const a = 1;" });
    expect(outline.text).toBe("const a = 1");
  });
});
