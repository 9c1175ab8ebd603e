import { describe, expect, it } from "vitest";
import type { OutlineLanguage } from "./outline.ts";
import { scanDeclarations } from "./scan-declarations.ts";

const CASES: [OutlineLanguage, string, string[]][] = [
  [
    "typescript",
    "export const enum E {}\nexport default async function f() {}\nabstract class A {\n  static get(x): T {\n  if (x) {\n",
    ["E", "f", "A", "get"],
  ],
  ["python", "class A:\n    async def f(self): pass\nX: int = 3\nx == 4", ["A", "f", "X"]],
  [
    "go",
    "func (r *R) Bar() {}\ntype T struct {\n\tField int\n}\nvar v = 1",
    ["Bar", "T", "Field", "v"],
  ],
  [
    "rust",
    "pub(crate) async fn f() {}\nstruct S;\n    pub const N: u8 = 1;\nmacro_rules! m {}",
    ["f", "S", "N", "m"],
  ],
  [
    "java",
    "public final class A {\n  private static List<String> names(int a) {\n  @interface B {}\n",
    ["A", "names", "B"],
  ],
  ["markdown", "# One\n## Two words\ntext", ["One", "Two words"]],
  ["json", '{\n  "name": 1,\n        "deep": 2\n}', ["name"]],
  ["yaml", "on: push\njobs:\n  build:\n      deep: 1", ["on", "jobs", "build"]],
];

describe("scanDeclarations", () => {
  it.each(CASES)("finds what %s declares in %j", (language, text, expected) => {
    expect(scanDeclarations(text, language)).toEqual(expected);
  });

  it("finds nothing in a language that it does not know", () => {
    expect(scanDeclarations("class A {}", undefined)).toEqual([]);
  });
});
