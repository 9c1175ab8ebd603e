import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { OutlineLanguage } from "./outline.ts";
import { scanImports } from "./scan-imports.ts";

const CASES: [OutlineLanguage, string, string[]][] = [
  ["typescript", 'import a, { b } from "./a.ts";\nimport type { C } from "c";', ["./a.ts", "c"]],
  ["typescript", 'import {\n  a,\n  b,\n} from "./long.ts";', ["./long.ts"]],
  [
    "typescript",
    'import "side";\nexport * from "./star";\nexport { x } from "./x";',
    ["side", "./star", "./x"],
  ],
  ["javascript", 'const a = require("a"), b = await import("./b.js");', ["a", "./b.js"]],
  ["javascript", 'import{a}from"a";import{b}from"b";', ["a", "b"]],
  ["typescript", 'const from = "not";\nconst text = "from \'x\'";', []],
  [
    "python",
    "import os, sys as s\nfrom .a.b import c\nfrom . import d, e as f",
    ["os", "sys", ".a.b", ".", ".d", ".e"],
  ],
  [
    "go",
    'package x\nimport "fmt"\nimport (\n\tq "a/b"\n\t_ "c"\n)\nfunc f() { g("no") }',
    ["fmt", "a/b", "c"],
  ],
  [
    "rust",
    "mod a;\npub use crate::{b, c::{self, D as E}};\nuse std::io;",
    ["a", "crate::b", "crate::c", "crate::c::D", "std::io"],
  ],
  ["java", "import java.util.List;\nimport static a.B.*;\n", ["java.util.List", "a.B.*"]],
  ["markdown", 'import "a"', []],
];

describe("scanImports", () => {
  it.each(CASES)("finds what %s imports in %j", (language, text, expected) => {
    expect(scanImports(text, language)).toEqual(expected);
  });

  it("names each module once and never throws", () => {
    const languages = fc.constantFrom<OutlineLanguage>(
      "typescript",
      "python",
      "go",
      "rust",
      "java",
    );
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), languages, (text, language) => {
        const found = scanImports(text, language);
        expect(new Set(found).size).toBe(found.length);
      }),
    );
  });
});
