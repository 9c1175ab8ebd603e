import { sha256Hex } from "@ccl/core";
import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { parseEdits } from "./parse-edits.ts";

const call = (path: string): string =>
  JSON.stringify({
    name: "str_replace",
    arguments: { path, old_str: `let ${path[0]} = 1;`, new_str: `let ${path[0]} = 2;` },
  });
const v4a = (path: string): string =>
  `*** Begin Patch\n*** Update File: ${path}\n@@\n-let ${path[0]} = 1;\n+let ${path[0]} = 2;\n*** End Patch`;
const patchCall = (path: string): string =>
  JSON.stringify({ name: "apply_patch", arguments: { input: v4a(path) } });
/** The same edit of a file in each format: its second line stays. */
const formats: { [name: string]: (path: string) => string } = {
  call,
  "patch call": patchCall,
  V4A: v4a,
  blocks: (path) =>
    `${path}\n<<<<<<< SEARCH\nlet ${path[0]} = 1;\n=======\nlet ${path[0]} = 2;\n>>>>>>> REPLACE`,
  "Cline's blocks": (path) =>
    `${path}\n------- SEARCH\nlet ${path[0]} = 1;\n=======\nlet ${path[0]} = 2;\n+++++++ REPLACE`,
  diff: (path) =>
    `\`\`\`diff\n--- a/${path}\n+++ b/${path}\n@@ -1,2 +1,2 @@\n-let ${path[0]} = 1;\n+let ${path[0]} = 2;\n kept\n\`\`\``,
  "whole file": (path) => `${path}\n\`\`\`js\nlet ${path[0]} = 2;\nkept\n\`\`\``,
};
const paths = ["a.js", "b.js", "c.js"];
const readSet = new Map(
  paths.map((path) => {
    const text = `let ${path[0]} = 1;\nkept\n`;
    return [path, { text, sha256: sha256Hex(text) }];
  }),
);

/** The paths that an answer changes as it was meant; undefined where it is refused. */
function changed(answer: string): string[] | undefined {
  const edits = parseEdits(answer, { readSet });
  if (!edits.ok) return undefined;
  return edits.value.plan.actions
    .filter((one) => "content" in one && one.content === `let ${one.path[0]} = 2;\nkept\n`)
    .map(({ path }) => path)
    .toSorted();
}

describe("an answer", () => {
  it("of edits in several formats is followed whole, whatever stands between them", () => {
    const names = Object.keys(formats);
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom(...names), { minLength: 2, maxLength: 3 }),
        fc.constantFrom("\n\n", "\n\nThen the next one.\n\n"),
        (chosen, gap) => {
          const parts = chosen.map((name, at) => formats[name]?.(paths[at] ?? "") ?? "");
          expect(changed(parts.join(gap))).toEqual(paths.slice(0, chosen.length));
        },
      ),
    );
  });

  it.each([
    ["two calls in one line", `${call("a.js")} ${call("b.js")}`],
    ["two patches in a list within prose", `Do [${patchCall("a.js")},${patchCall("b.js")}] now`],
    ["a call and a patch in a list within prose", `Do [${call("a.js")},${patchCall("b.js")}] now`],
    ["a patch and a call in one line", `${patchCall("a.js")} ${call("b.js")}`],
  ])("of %s is followed whole", (_, answer) => {
    expect(changed(answer)).toEqual(["a.js", "b.js"]);
  });

  it.each([
    ["a call behind a comma", `${call("a.js")}, ${call("b.js")}`],
    ["a call within prose", `${call("a.js")}\nand then ${call("b.js")}`],
    ["a block without an end", `${formats["V4A"]?.("a.js")}\n\nb.js\n<<<<<<< SEARCH\nlet b = 1;`],
    [
      "a hunk without a file",
      `${formats["blocks"]?.("a.js")}\n\n@@ -1 +1 @@\n-let b = 1;\n+let b = 2;`,
    ],
    [
      "a hunk without a file in a fence",
      `${formats["diff"]?.("a.js")}\n\n\`\`\`diff\n@@ -1 +1 @@\n-let b = 1;\n+let b = 2;\n\`\`\``,
    ],
    ...[
      "And a new file:",
      "Create `d.js` with this text:",
      "b.js (new version)",
      "<details><summary>b.js</summary>",
    ].map((line): [string, string] => [
      `a fence under ${line}`,
      `${formats["blocks"]?.("a.js")}\n\n${line}\n\n\`\`\`js\nlet b = 2;\n\`\`\``,
    ]),
    ...[
      '<invoke name="str_replace"><parameter name="path">b.js</parameter></invoke>',
      "<function=str_replace>\n<parameter=path>b.js</parameter>",
      '<str_replace path="b.js">\n<old_str>let b = 1;</old_str>',
      "<edit_file><path>b.js</path></edit_file>",
      "{'command': 'str_replace', 'path': 'b.js', 'old_str': '1', 'new_str': '2'}",
    ].map((line): [string, string] => [line, `${formats["blocks"]?.("a.js")}\n\n${line}`]),
  ])("with %s beside an edit is refused", (_, answer) => {
    expect(changed(answer)).toBeUndefined();
  });

  it("is never followed in part where an edit is indented, numbered or quoted", () => {
    const { "whole file": _, ...marked } = formats;
    for (const edit of Object.values(marked))
      for (const margin of ["  ", "\t", "    ", "> "]) {
        const hidden = edit("b.js").replaceAll(/^/gm, margin);
        expect([undefined, ["a.js", "b.js"]]).toContainEqual(
          changed(`${marked["blocks"]?.("a.js")}\n\n1. Then:\n\n${hidden}`),
        );
      }
  });

  it.each(["**File: b.js**", "### File: `b.js`", "- **`b.js`:**", "// b.js", "Filename: b.js"])(
    "names a file by %s above its fence",
    (line) => {
      expect(
        changed(`${formats["blocks"]?.("a.js")}\n\n${line}\n\`\`\`js\nlet b = 2;\nkept\n\`\`\``),
      ).toEqual(["a.js", "b.js"]);
    },
  );

  it("may show text in a fence that is no file", () => {
    const shown = "In Berlin, e.g. now, it says:\n\n```\nlet b = 2;\n```\n\n```sh\nnode b.js\n```";
    expect(changed(`${formats["blocks"]?.("a.js")}\n\n${shown}`)).toEqual(["a.js"]);
  });
});
