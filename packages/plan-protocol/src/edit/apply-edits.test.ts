import { diffLines } from "diff";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { FileEdit } from "../plan/plan.ts";
import { applyEdits } from "./apply-edits.ts";

function apply(base: string, edits: FileEdit[]): unknown {
  const edited = applyEdits(base, edits);
  return edited.ok
    ? edited.value
    : edited.issues.map((issue) => `${issue.code} ${issue.path.join(".")}`.trim());
}

const far = "-".repeat(5_000);

describe("applyEdits", () => {
  it.each<[string, string, FileEdit[], unknown]>([
    ["replaces a text", "a b c", [{ before: "b", after: "B" }], "a B c"],
    ["removes a text", "a b c", [{ before: " b", after: "" }], "a c"],
    [
      "replaces several, whatever their order",
      "a b c",
      [
        { before: "c", after: "C" },
        { before: "a", after: "A" },
      ],
      "A b C",
    ],
    [
      "does not see what another edit put in",
      "a b",
      [
        { before: "a", after: "b" },
        { before: "b", after: "c" },
      ],
      "b c",
    ],
    [
      "finds a text near its anchor",
      `x${far}f() x`,
      [{ anchor: "f()", before: "x", after: "y" }],
      `x${far}f() y`,
    ],
    [
      "finds a text that holds its anchor",
      "f() { x }",
      [{ anchor: "f()", before: "f() { x", after: "f() { y" }],
      "f() { y }",
    ],
    [
      "keeps carriage returns",
      "a\r\nb\r\nc\r\n",
      [{ before: "a\nb", after: "a\nB\nx" }],
      "a\r\nB\r\nx\r\nc\r\n",
    ],
    ["takes replacements literally", "a", [{ before: "a", after: "$& $1" }], "$& $1"],
    ["refuses no edits", "a", [], ["ERR_EDIT_NO_EDITS"]],
    [
      "refuses a text that is not there",
      "a",
      [{ before: "b", after: "" }],
      ["ERR_EDIT_BEFORE_NOT_FOUND 0"],
    ],
    [
      "refuses a text that stands twice",
      "a a",
      [{ before: "a", after: "" }],
      ["ERR_EDIT_AMBIGUOUS 0"],
    ],
    [
      "refuses a text that overlaps itself",
      "aaa",
      [{ before: "aa", after: "" }],
      ["ERR_EDIT_AMBIGUOUS 0"],
    ],
    ["refuses an empty text", "a", [{ before: "", after: "b" }], ["ERR_EDIT_AMBIGUOUS 0"]],
    [
      "refuses an edit that changes nothing",
      "a",
      [{ before: "a", after: "a" }],
      ["ERR_EDIT_APPLY_FAILED 0"],
    ],
    [
      "refuses an anchor that is not there",
      "a",
      [{ anchor: "x", before: "a", after: "" }],
      ["ERR_EDIT_ANCHOR_NOT_FOUND 0"],
    ],
    [
      "refuses an anchor that stands twice",
      "x a x",
      [{ anchor: "x", before: "a", after: "" }],
      ["ERR_EDIT_AMBIGUOUS 0"],
    ],
    [
      "refuses a text far from its anchor",
      `x${far}a`,
      [{ anchor: "x", before: "a", after: "" }],
      ["ERR_EDIT_BEFORE_NOT_FOUND 0"],
    ],
    [
      "refuses a text that stands twice near its anchor",
      "a x a",
      [{ anchor: "x", before: "a", after: "" }],
      ["ERR_EDIT_AMBIGUOUS 0"],
    ],
    [
      "refuses edits that overlap",
      "abc",
      [
        { before: "ab", after: "" },
        { before: "bc", after: "" },
      ],
      ["ERR_EDIT_APPLY_FAILED 1"],
    ],
    [
      "names every edit that fails",
      "a",
      [
        { before: "x", after: "" },
        { before: "", after: "" },
      ],
      ["ERR_EDIT_BEFORE_NOT_FOUND 0", "ERR_EDIT_AMBIGUOUS 1"],
    ],
  ])("%s", (_name, base, edits, expected) => {
    expect(apply(base, edits)).toEqual(expected);
  });

  it("turns a into b for edits made of their difference", () => {
    const lines = fc.uniqueArray(fc.stringMatching(/^[a-z ]{1,8}$/), {
      minLength: 1,
      maxLength: 20,
    });
    fc.assert(
      fc.property(lines, lines, (a, b) => {
        const base = a.map((line) => `<${line}>\n`).join("");
        const wanted = b.map((line) => `<${line}>\n`).join("");
        const edits = editsOf(base, wanted);
        fc.pre(edits !== undefined && edits.length > 0);
        expect(apply(base, edits ?? [])).toBe(wanted);
      }),
    );
  });
});

/** Undefined where text is put in before anything that could be quoted. */
function editsOf(base: string, wanted: string): FileEdit[] | undefined {
  const edits: FileEdit[] = [];
  let kept = "";
  let open: FileEdit | undefined;
  for (const part of diffLines(base, wanted)) {
    if (part.added !== true && part.removed !== true) {
      kept = part.value;
      open = undefined;
      continue;
    }
    if (open === undefined) {
      open = { before: kept, after: kept };
      edits.push(open);
    }
    if (part.removed === true) open.before += part.value;
    else open.after += part.value;
  }
  return edits.every((edit) => edit.before !== "") ? edits : undefined;
}
