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
    "public final class A {\n  private static List<String> names(int a) {\n  @interface B {}\n  @Override public void go() {\n",
    ["A", "names", "B", "go"],
  ],
  ["cpp", "class API Foo {\nint n::Foo::go(int x) const {\n  if (x) {", ["Foo", "n::Foo::go"]],
  [
    "c-sharp",
    "public sealed class A {\n  public async Task<int> Run(\n  public int Size() => 1;\n",
    ["A", "Run", "Size"],
  ],
  ["php", "final class A {\n  public static function make(int $x)", ["A", "make"]],
  ["ruby", "module A\n  class B < C\n    def self.go!(x)", ["A", "B", "go!"]],
  ["bash", "hello() {\nfunction bye () {", ["hello", "bye"]],
  [
    "kotlin",
    "internal data class A(\n  override fun <T> List<T>.go(\n  @Test fun runs() {",
    ["A", "go", "runs"],
  ],
  ["swift", "@objc public class A: B {\n  static func go(", ["A", "go"]],
  ["scala", "sealed trait A\n  override def go(", ["A", "go"]],
  ["sql", "CREATE TABLE IF NOT EXISTS a.b (\nselect 1", ["a.b"]],
  ["markdown", "# One\n## Two words\ntext", ["One", "Two words"]],
  ["json", '{\n  "name": 1,\n        "deep": 2\n}', ["name"]],
  ["yaml", "on: push\njobs:\n  build:\n      deep: 1", ["on", "jobs", "build"]],
];

describe("scanDeclarations", () => {
  it.each(CASES)("finds what %s declares in %j", (language, text, expected) => {
    expect(scanDeclarations(text, language)).toEqual(expected);
  });

  it("finds nothing in an unknown language", () => {
    expect(scanDeclarations("class A {}", undefined)).toEqual([]);
  });
});
