import { createTwoFilesPatch, FILE_HEADERS_ONLY } from "diff";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { applyPatch } from "./apply-patch.ts";
import { parsePatch } from "./parse-patch.ts";

function apply(base: string, patch: string): string {
  const patched = applyPatch(base, patch);
  return patched.ok ? patched.value.text : patched.issues.map((issue) => issue.code).join();
}

const base = "one\ntwo\nthree\nfour\nfive\n";
const changed = "one\ntwo\nTHREE\nfour\nfive\n";
const body = " two\n-three\n+THREE\n four\n";

const line = fc.constantFrom(
  "",
  "a",
  "b",
  "c",
  "  a",
  "-a",
  "+a",
  "@@ -1 +1 @@",
  "--- a/x",
  "+++ b/x",
  "\\ x",
  "я",
);
const ends = fc.constantFrom("\n", "\r\n", "\n", "\n");
const file = fc
  .tuple(
    fc.array(fc.tuple(line, ends), { maxLength: 30 }),
    fc.boolean(),
    fc.constantFrom("", "", "\ufeff"),
  )
  .map(([lines, hasLineEnd, mark]) => {
    const text = lines.map(([content, end]) => content + end).join("");
    return mark + (hasLineEnd ? text : text.replace(/\r?\n$/, ""));
  });

describe("applyPatch", () => {
  it.each([
    ["as it stands", `--- a/x\n+++ b/x\n@@ -2,3 +2,3 @@\n${body}`, []],
    [
      "with a header of git",
      `diff --git a/x b/x\nindex 0000000..1111111 100644\n--- a/x\n+++ b/x\n@@ -2,3 +2,3 @@ f()\n${body}`,
      [],
    ],
    ["without file headers", `@@ -2,3 +2,3 @@\n${body}`, []],
    ["without a line end", `@@ -2,3 +2,3 @@\n${body}`.trimEnd(), []],
    ["with blank lines after it", `@@ -2,3 +2,3 @@\n${body}\n\n`, []],
    ["with wrong counts", `@@ -2,9 +2,1 @@\n${body}`, [0]],
    ["with a wrong line number", `@@ -40,3 +40,3 @@\n${body}`, [0]],
    ["sent with carriage returns", `@@ -2,3 +2,3 @@\n${body}`.replaceAll("\n", "\r\n"), []],
  ])("applies a hunk %s", (_name, patch, relocatedHunks) => {
    expect(applyPatch(base, patch)).toEqual({ ok: true, value: { text: changed, relocatedHunks } });
  });

  it.each([
    ["prose", "Change three to THREE.", "ERR_PATCH_NOT_UNIFIED"],
    [
      "the format of another tool",
      "*** Begin Patch\n*** Update File: x\n@@\n-three\n+THREE\n*** End Patch",
      "ERR_PATCH_NOT_UNIFIED",
    ],
    ["a hunk without numbers", `@@ ... @@\n${body}`, "ERR_PATCH_NOT_UNIFIED"],
    [
      "a line without a mark",
      "@@ -2,3 +2,3 @@\n two\n-three\n+THREE\nfour\n",
      "ERR_PATCH_NOT_UNIFIED",
    ],
    [
      "two files",
      `--- a/x\n+++ b/x\n@@ -2,3 +2,3 @@\n${body}--- a/y\n+++ b/y\n@@ -2,3 +2,3 @@\n${body}`,
      "ERR_PATCH_NOT_UNIFIED",
    ],
    [
      "a rename",
      "diff --git a/x b/y\nrename from x\nrename to y\n@@ -1 +1 @@\n-one\n+1\n",
      "ERR_PATCH_NOT_UNIFIED",
    ],
    ["a hunk that changes nothing", "@@ -2,1 +2,1 @@\n two\n", "ERR_PATCH_NOT_UNIFIED"],
    [
      "lines that are not there",
      "@@ -2,2 +2,2 @@\n two\n-drei\n+THREE\n",
      "ERR_PATCH_APPLY_FAILED",
    ],
    [
      "white space that differs",
      "@@ -2,2 +2,2 @@\n two\n-three \n+THREE\n",
      "ERR_PATCH_APPLY_FAILED",
    ],
    [
      "lines that are there, but not in a row",
      "@@ -2,2 +2,2 @@\n two\n-four\n+FOUR\n",
      "ERR_PATCH_APPLY_FAILED",
    ],
    ["an insertion without context", "@@ -2,0 +3,1 @@\n+new\n", "ERR_PATCH_APPLY_FAILED"],
    [
      "hunks out of order",
      "@@ -4,1 +4,1 @@\n-four\n+FOUR\n@@ -2,1 +2,1 @@\n-two\n+TWO\n",
      "ERR_PATCH_APPLY_FAILED",
    ],
    [
      "hunks that overlap",
      "@@ -2,2 +2,2 @@\n two\n-three\n+3\n@@ -3,2 +3,2 @@\n three\n-four\n+4\n",
      "ERR_PATCH_APPLY_FAILED",
    ],
    [
      "a missing line end that is there",
      "@@ -5,1 +5,1 @@\n-five\n\\ No newline at end of file\n+FIVE\n",
      "ERR_PATCH_APPLY_FAILED",
    ],
  ])("refuses %s", (_name, patch, code) => {
    expect(apply(base, patch)).toBe(code);
  });

  it("takes the stated place where lines repeat, and none where the numbers are wrong", () => {
    expect(apply("a\nx\na\nx\n", "@@ -3,2 +3,2 @@\n a\n-x\n+y\n")).toBe("a\nx\na\ny\n");
    expect(apply("a\nx\na\nx\n", "@@ -2,2 +2,2 @@\n a\n-x\n+y\n")).toBe("ERR_PATCH_APPLY_FAILED");
    expect(apply("a\nx\na\nx\n", "@@ -3,4 +3,4 @@\n a\n-x\n+y\n")).toBe("ERR_PATCH_APPLY_FAILED");
  });

  it.each([
    [
      "carriage returns",
      "one\r\ntwo\r\nthree\r\nfour\r\nfive\r\n",
      "one\r\ntwo\r\nTHREE\r\nfour\r\nfive\r\n",
    ],
    ["a byte order mark", `\ufeff${base}`, `\ufeff${changed}`],
    [
      "both, and no line end",
      "\ufeffone\r\ntwo\r\nthree\r\nfour",
      "\ufeffone\r\ntwo\r\nTHREE\r\nfour",
    ],
  ])("keeps %s that the patch does not have", (_name, text, expected) => {
    expect(apply(text, `@@ -2,3 +2,3 @@\n${body}`)).toBe(expected);
  });

  it("keeps a byte order mark when the first line is patched, and a missing line end when the last is", () => {
    expect(apply("\ufeffa\nb\n", "@@ -1,2 +1,2 @@\n-a\n+A\n b\n")).toBe("\ufeffA\nb\n");
    expect(apply("a\r\nb", "@@ -1,2 +1,3 @@\n a\n b\n+c\n")).toBe("a\r\nb\r\nc");
    expect(apply("a\nb", "@@ -1,2 +1,2 @@\n a\n-b\n+B\n")).toBe("a\nB");
  });

  it("fills and empties files", () => {
    expect(apply("", "@@ -0,0 +1,2 @@\n+a\n+b\n")).toBe("a\nb\n");
    expect(apply("a\nb\n", "@@ -1,2 +0,0 @@\n-a\n-b\n")).toBe("");
  });

  it("checks the name in the headers", () => {
    const patch = `--- a/src/x.ts\t2026-01-01\n+++ b/src/x.ts\n@@ -2,3 +2,3 @@\n${body}`;
    expect(parsePatch(patch, "src/x.ts").ok).toBe(true);
    expect(parsePatch(patch, "src/y.ts").ok).toBe(false);
    expect(parsePatch(patch.replace("b/src/x.ts", "/dev/null"), "src/x.ts").ok).toBe(false);
  });

  it.each([3, 1, 10])(
    "turns a into b for a diff of a and b with %i lines of context",
    (context) => {
      fc.assert(
        fc.property(file, file, (a, b) => {
          fc.pre(a !== b);
          const patch = createTwoFilesPatch("a/x", "b/x", a, b, undefined, undefined, {
            context,
            headerOptions: FILE_HEADERS_ONLY,
          });
          expect(apply(a, patch)).toBe(b);
        }),
      );
    },
  );

  it("turns a into b, or refuses, for a diff whose numbers are wrong", () => {
    fc.assert(
      fc.property(file, file, fc.nat(99), (a, b, number) => {
        fc.pre(a !== b);
        const patch = createTwoFilesPatch("a/x", "b/x", a, b, undefined, undefined, {
          headerOptions: FILE_HEADERS_ONLY,
        });
        const hunks = [...patch.matchAll(/^@@ .*$/gm)].length;
        fc.pre(hunks === 1 && !/^[ +-](?:@@|---|\+\+\+)/m.test(patch.slice(patch.indexOf("@@"))));
        const miscounted = patch.replace(/^@@ .*$/m, `@@ -${number},${number} +${number},7 @@`);
        const patched = applyPatch(a, miscounted);
        expect(patched.ok ? patched.value.text : b).toBe(b);
      }),
    );
  });

  it("reads a long file with lines that repeat in linear time", () => {
    const long = "a\n".repeat(100_000);
    expect(apply(long, `@@ -7,5000 +7,5000 @@\n${" a\n".repeat(5_000)}-b\n+c\n`)).toBe(
      "ERR_PATCH_APPLY_FAILED",
    );
  });
});
