import { describe, expect, it } from "vitest";

import { type ReadSet, remarksOn, withoutRemarks } from "../validate/valid-plan.ts";
import { parseEdits, type ParseEditsOptions } from "./parse-edits.ts";

const SHA = "a".repeat(64);
const BASE = `import { price } from "./price";

export function total(items) {
  let sum = 0;
  for (const item of items) {
    sum += price(item);
  }
  return sum;
}

export function empty() {
  return 0;
}
`;
const WANTED = BASE.replace("sum += price(item);", "sum += price(item) * item.count;");

function apply(answer: string, base = BASE, options: Partial<ParseEditsOptions> = {}): string {
  const readSet: ReadSet = new Map([
    ["src/cart.ts", { sha256: SHA, text: base }],
    ["src/long.ts", { sha256: SHA, text: "line\n".repeat(50) }],
  ]);
  const read = parseEdits(answer, { readSet, ...options });
  if (!read.ok) return read.issues.map(({ code, message }) => `${code} ${message}`).join("\n");
  return read.value.plan.actions
    .map((action) => {
      if (action.kind !== "PATCH_FILE" && action.kind !== "EDIT_FILE")
        return JSON.stringify(action);
      expect(action.base_sha256).toBe(SHA);
      return action.content;
    })
    .join("\n");
}

const v4a = (body: string): string =>
  `*** Begin Patch\n*** Update File: src/cart.ts\n${body}\n*** End Patch\n`;
const HUNK = `   for (const item of items) {
-    sum += price(item);
+    sum += price(item) * item.count;
   }`;
const BEFORE = "    sum += price(item);\n";
const AFTER = "    sum += price(item) * item.count;\n";
const call = { command: "str_replace", path: "src/cart.ts", old_str: BEFORE, new_str: AFTER };
const block = (before: string, after: string): string =>
  `<<<<<<< SEARCH\n${before}=======\n${after}>>>>>>> REPLACE\n`;
const action = (fields: object): string =>
  JSON.stringify({ version: 3, summary: "x", actions: [{ path: "src/cart.ts", ...fields }] });

describe("parseEdits", () => {
  it.each<[string, string]>([
    ["V4A", v4a(`@@\n${HUNK}`)],
    ["V4A under a line", v4a(`@@ export function total(items) {\n${HUNK}`)],
    ["a unified diff", `--- a/src/cart.ts\n+++ b/src/cart.ts\n@@ -5,3 +5,3 @@\n${HUNK}\n`],
    ["a diff without numbers", `--- a/src/cart.ts\n+++ b/src/cart.ts\n@@ ... @@\n${HUNK}\n`],
    ["search/replace", `src/cart.ts\n<<<<<<< SEARCH\n${BEFORE}=======\n${AFTER}>>>>>>> REPLACE\n`],
    ["a whole file", `src/cart.ts\n\`\`\`ts\n${WANTED}\`\`\`\n`],
    ["a call", JSON.stringify(call)],
    ["a call in its wrapper", JSON.stringify({ name: "edit", arguments: JSON.stringify(call) })],
    [
      "a call in camel case",
      JSON.stringify({ filePath: "src/cart.ts", oldString: BEFORE, newString: AFTER }),
    ],
    [
      "Cline's tags",
      `<replace_in_file>\n<path>src/cart.ts</path>\n<diff>\n------- SEARCH\n${BEFORE}=======\n${AFTER}+++++++ REPLACE\n</diff>\n</replace_in_file>`,
    ],
    [
      "a block under prose with its path",
      `#### Update \`src/cart.ts\`\n\n\`\`\`ts\n${block(BEFORE, AFTER)}\`\`\`\n`,
    ],
    [
      "a block given twice",
      `src/cart.ts\n${block(BEFORE, AFTER)}\nThe whole change:\n\nsrc/cart.ts\n${block(BEFORE, AFTER)}`,
    ],
    ["a path with backslashes", `src\\cart.ts\n${block(BEFORE, AFTER)}`],
    [
      "a heading that says what changes",
      `## 2. src/cart.ts (modified)\n\`\`\`ts\n${WANTED}\`\`\`\n`,
    ],
    [
      "a call of Claude in tags",
      `Now:\n<function_calls>\n<invoke name="Edit">\n<parameter name="file_path">src/cart.ts</parameter>\n<parameter name="old_string">${BEFORE}</parameter>\n<parameter name="new_string">${AFTER}</parameter>\n</invoke>\n</function_calls>`,
    ],
    [
      "a whole file in tags",
      `<write_to_file>\n<path>src/cart.ts</path>\n<content>\n${WANTED}</content>\n</write_to_file>`,
    ],
    [
      "a call of Gemini",
      JSON.stringify({
        functionCall: {
          name: "replace",
          args: { file_path: "src/cart.ts", old_string: BEFORE, new_string: AFTER },
        },
      }),
    ],
    ["a list of calls", JSON.stringify([call])],
    ["a patch in a call", JSON.stringify({ name: "apply_patch", arguments: { input: v4a(HUNK) } })],
    ["a patch without a hash", action({ kind: "PATCH_FILE", patch: `@@ -5,3 +5,3 @@\n${HUNK}\n` })],
    [
      "an edit that lost a line end",
      action({
        kind: "EDIT_FILE",
        edits: [{ before: BEFORE.replace("\n", "\r\n"), after: AFTER }],
      }),
    ],
    ["prose and reasoning around it", `<think>Hm.</think>Sure:\n\n${v4a(HUNK)}\nDone.`],
    ["lost indentation", v4a(HUNK.replaceAll(/^([ +-]) {2}/gm, "$1"))],
    ["context without its mark", v4a(HUNK.replaceAll(/^ /gm, ""))],
    ["context flush left", v4a(HUNK.replaceAll(/^ +/gm, ""))],
    ["trailing spaces", v4a(HUNK.replace("items) {", "items) {  "))],
    ["wrong numbers", `--- a/src/cart.ts\n+++ b/src/cart.ts\n@@ -50,3 +50,3 @@\n${HUNK}\n`],
    ["a lost line of context", v4a(`@@\n export function total(items) {\n${HUNK}\n   return sum;`)],
  ])("reads %s", (_name, answer) => {
    expect(apply(answer)).toBe(WANTED);
  });

  it.each<[string, (text: string) => string]>([
    ["CR LF", (text) => text.replaceAll("\n", "\r\n")],
    ["a byte order mark", (text) => `\ufeff${text}`],
    ["no line end at the end", (text) => text.trimEnd()],
  ])("keeps %s of the file", (_name, change) => {
    expect(apply(v4a(HUNK), change(BASE))).toBe(change(WANTED));
    const first = v4a(`@@\n+// Cart.\n import { price } from "./price";`);
    expect(apply(first, change(BASE))).toBe(change(`// Cart.\n${BASE}`));
    const last = v4a("@@\n   return 0;\n }\n+// End.");
    expect(apply(last, change(BASE))).toBe(change(`${BASE}// End.\n`));
  });

  it("replaces a text everywhere where a call says so, and only there", () => {
    const calls = { ...call, old_str: "item", new_str: "row", replace_all: true };
    expect(apply(JSON.stringify(calls))).toBe(BASE.replaceAll("item", "row"));
    const crossing = { ...calls, old_str: "}\n", new_str: "};\n" };
    expect(apply(JSON.stringify(crossing))).toBe(BASE.replaceAll("}\n", "};\n"));
    const once = { ...call, occurrence: null, replace_all: false, explanation: "The count." };
    expect(apply(JSON.stringify(once))).toBe(WANTED);
    const blank = JSON.stringify({ ...call, old_str: "\nx", new_str: "y" });
    expect(apply(blank, "\nx\n")).toBe("y\n");
  });

  it("takes the place that a block says where its lines stand twice", () => {
    const blank = (line: number): string =>
      apply(`src/cart.ts\n${block(`:start_line:${line}\n-------\n}\n`, "};\n")}`);
    expect(blank(13)).toBe(BASE.replace(/\}\n$/, "};\n"));
    expect(blank(11)).toContain("ERR_EDIT_AMBIGUOUS");
  });

  it("leaves out a block that changes nothing beside another, with a remark", () => {
    const readSet: ReadSet = new Map([["src/cart.ts", { sha256: SHA, text: BASE }]]);
    const unchanged = "export function empty() {\n";
    const answer = `src/cart.ts\n${block(BEFORE, AFTER)}${block(unchanged, unchanged)}`;
    const read = parseEdits(answer, { readSet });
    expect(read.ok && read.value.plan.actions).toMatchObject([
      { content: WANTED, remarks: [expect.stringContaining("before and after are both")] },
    ]);
    expect(apply(`src/cart.ts\n${block(unchanged, unchanged)}`)).toContain("Leave the edit out");
  });

  it("replaces every occurrence if a call in camel case says so", () => {
    const all = { filePath: "src/cart.ts", oldString: "item", newString: "row", replaceAll: true };
    expect(apply(JSON.stringify(all))).toBe(BASE.replaceAll("item", "row"));
  });

  it("reads a list of actions as a plan", () => {
    const edit = JSON.parse(
      action({ kind: "EDIT_FILE", edits: [{ before: BEFORE, after: AFTER }] }),
    );
    expect(apply(JSON.stringify(edit.actions))).toBe(WANTED);
  });

  it("adds, deletes and moves", () => {
    const patch = `*** Begin Patch
*** Add File: src/a.ts
+export const a = 1;
*** Delete File: src/old.ts
*** Update File: src/cart.ts
*** Move to: src/basket.ts
@@
${HUNK}
*** End Patch`;
    expect(apply(patch).split("\n")).toEqual([
      JSON.stringify({ kind: "CREATE_FILE", path: "src/a.ts", content: "export const a = 1;\n" }),
      expect.stringMatching(
        /^{"kind":"MOVE_FILE","path":"src\/cart.ts","to":"src\/basket.ts","content":"import /,
      ),
      JSON.stringify({ kind: "DELETE_FILE", path: "src/old.ts" }),
    ]);
  });

  it.each<[string, string, string]>([
    ["what differs", v4a(HUNK.replace("price(item);", "cost(item);")), "ERR_PATCH_APPLY_FAILED"],
    ["two places", v4a("@@\n }\n+\n"), "ERR_PATCH_APPLY_FAILED"],
    ["no line of the file", v4a("@@\n+// x"), "ERR_PATCH_APPLY_FAILED"],
    [
      "an ambiguous text",
      JSON.stringify({ ...call, old_str: "return", new_str: "yield" }),
      "ERR_EDIT_AMBIGUOUS",
    ],
    [
      "a lost line where something is added",
      v4a("@@\n   let sum = 0;\n+  // x\n     sum += price(item);"),
      "ERR_PATCH_APPLY_FAILED",
    ],
    [
      "numbers before new lines",
      `src/cart.ts\n${block(BEFORE, `6 | ${AFTER}`)}`,
      "begin with line numbers",
    ],
    [
      "a numbered file",
      `src/cart.ts\n\`\`\`ts\n${WANTED.replaceAll(/^/gm, "  1\t")}\n\`\`\`\n`,
      "begin with line numbers",
    ],
    ["a second divider", `src/cart.ts\n${block(BEFORE, `${AFTER}=======\n`)}`, '"======="'],
    [
      "a block under prose about another file",
      `src/cart.ts\n${block(BEFORE, AFTER)}\nThe same in \`src/long.ts\`:\n\n${block("  return 0;\n", "  return 1;\n")}`,
      '"src/cart.ts" or to "src/long.ts"',
    ],
    [
      "a file beside Cline's tags",
      `<replace_in_file>\n<path>src/cart.ts</path>\n<diff>\n${block(BEFORE, AFTER)}</diff>\n</replace_in_file>\n<write_to_file>\n<path>src/b.ts</path>\n</write_to_file>`,
      '"<write_to_file>"',
    ],
    ["a patch without its end", v4a(HUNK).replace("*** End Patch", ""), "ERR_TRUNCATED"],
    ["a fence without its end", `src/cart.ts\n\`\`\`ts\n${WANTED}`, "ERR_TRUNCATED"],
    ["a block without its end", `src/cart.ts\n<<<<<<< SEARCH\n${BEFORE}`, "ERR_TRUNCATED"],
    ["a call that is cut off", JSON.stringify(call).slice(0, -9), "ERR_"],
    [
      "a second call that is cut off",
      `${JSON.stringify(call)}\n{"command":"str_re`,
      "ERR_TRUNCATED",
    ],
    ["the second place of a text", JSON.stringify({ ...call, occurrence: 2 }), '"occurrence"'],
    ["a place by a word", JSON.stringify({ ...call, occurrence: "last" }), '"occurrence"'],
    ["an unclear replace_all", JSON.stringify({ ...call, replace_all: "yes" }), '"replace_all"'],
    [
      "another command",
      JSON.stringify({ ...call, command: "undo_edit" }),
      'Unknown command "undo_edit"',
    ],
    ["an insert without its line", JSON.stringify({ ...call, command: "insert" }), "insert_line"],
    [
      "a file that was not shown",
      v4a(HUNK).replace("src/cart.ts", "src/b.ts"),
      "ERR_UPDATE_WITHOUT_BASE",
    ],
    [
      "a hash of another file",
      action({
        kind: "EDIT_FILE",
        base_sha256: "b".repeat(64),
        edits: [{ before: BEFORE, after: AFTER }],
      }),
      "ERR_BASE_MISMATCH",
    ],
    [
      "an occurrence",
      action({ kind: "EDIT_FILE", edits: [{ before: "return", after: "yield", occurrence: 2 }] }),
      "ERR_SCHEMA_VALIDATION",
    ],
    [
      "a path outside",
      v4a(HUNK).replace("Update File: src/cart.ts", "Delete File: ../x"),
      "ERR_INVALID_PATH",
    ],
    ["a snippet as a whole file", `src/long.ts\n\`\`\`\nline 1\n\`\`\``, "ERR_ELISION"],
    ["prose", "I would change the sum.", "ERR_JSON_EXTRACT"],
  ])("refuses %s", (_name, answer, code) => {
    expect(apply(answer)).toContain(code);
  });

  const edit = `src/cart.ts\n${block(BEFORE, AFTER)}\n`;

  it.each([
    ["a comment with a path", "New:\n```ts\n// src/b.ts\nexport {};\n```", "// src/b.ts"],
    ["a block comment", "New:\n```css\n/* src/b.css */\np {}\n```", "/* src/b.css */"],
    ["a comment of HTML", "New:\n```html\n<!-- a/b.html -->\n<p>\n```", "<!-- a/b.html -->"],
    ["an unclear path", "New:\n```ts (src/b.ts, new)\nexport {};\n```", "(src/b.ts, new)"],
    ["a command that writes a file", "Run:\n```sh\ncat > b.ts <<'EOF'\nx\nEOF\n```", "cat > b.ts"],
    [
      "a tag with a path",
      '<boltAction type="file" filePath="b.ts">\nx\n</boltAction>',
      "<boltAction",
    ],
    [
      "a comment below the first line",
      "New:\n```ts\n/**\n * src/b.ts\n */\nlet a;\n```",
      "src/b.ts",
    ],
    ["a path above a sentence", "**src/b.ts**\n\nIt is new.\n\n```ts\nlet a;\n```", "src/b.ts"],
    [
      "a path below it",
      "Here it is:\n```ts\nlet a;\n```\nSave this as src/b.ts.",
      "Save this as src/b.ts.",
    ],
    ["a diff without a path", "```diff\n-a\n+b\n```", "diff"],
    ["the second half of a change", "Before:\n```ts\na\n```\nAfter:\n```ts\nb\n```", "Before:"],
    ["marks of three signs", "<<< SEARCH\na\n===\nb\n>>> REPLACE\n", "<<< SEARCH"],
    ["a command that edits", "```sh\nsed -i 's/a/b/' src/b.ts\n```", "sed -i"],
    ["a command that copies", "```sh\nmkdir x && cp a.ts x/b.ts\n```", "cp a.ts"],
    ["a script that writes", "```python\nPath('b.ts').write_text('x')\n```", "write_text"],
    ["code below a path", "src/b.ts\n\nexport const b = 1;\n", "export const b"],
    ["a call in tags that is cut off", "<write_to_file>\n<path>b.ts</path>\n", "<write_to_file>"],
    ["another tool", "<execute_command>\n<command>rm b.ts</command>", "<execute_command>"],
    ["a command in a line", "rm src/old.ts", "rm src/old.ts"],
    ["a fence in a quotation", "> src/b.ts\n> ```ts\n> let a;\n> ```", "> ```ts"],
    ["a call in tokens", '[TOOL_CALLS][{"name":"write_file"}]', "[TOOL_CALLS]"],
    ["a block of another file", `And in my app/b.ts:\n${block("a\n", "b\n")}`, "my app/b.ts"],
    ["a range of lines", "```8:10:src/b.ts\nlet a;\n```", "8:10:src/b.ts"],
    ["a tag of contents", "<path>b.ts</path>\n<content>\nx\n</content>", "<content>"],
  ])("takes no edit beside what may be a file: %s", (_name, rest, quoted) => {
    expect(apply(edit + rest)).toMatch(/^ERR_(?:INVALID_PATH|PATCH_NOT_UNIFIED|TRUNCATED) /);
    expect(apply(edit + rest)).toContain(quoted);
  });

  it("takes a fence between two edits for what it shows", () => {
    const shown = "Call it:\n```ts\ntotal([]);\n```\n\n";
    const other = `src/long.ts\n${block("", "line\n").replace("line", "added")}`;
    expect(apply(edit + shown + other)).toContain("src/long.ts");
    expect(apply(edit + shown + other)).not.toContain("may be a file");
  });

  it.each([
    ["Also delete `src/old.ts`.", true],
    ["Then rename src/old.ts to src/new.ts:", true],
    ["In `src/old.ts`, change `a` to `b`.", true],
    ["### src/old.ts (deleted)", true],
    ["I changed `total` in `src/cart.ts`.", false],
    ["Update the tests when you like.", false],
  ])("lists a request in prose that no edit follows: %s", (line, isListed) => {
    const readSet: ReadSet = new Map([["src/cart.ts", { sha256: SHA, text: BASE }]]);
    const read = parseEdits(`${edit}\n${line}\n`, { readSet });
    const remarks = isListed ? [`No edit does what ${JSON.stringify(line)} says.`] : [];
    expect(read.ok && remarksOn(read.value.plan)).toEqual(remarks);
  });

  it("finds the place that a header names among many equal ones", () => {
    const one = (name: number): string => `class C${name}:\n    def run(self):\n        return 1\n`;
    const base = Array.from({ length: 30 }, (_, at) => one(at)).join("\n");
    const wanted = base.replace(one(28), one(28).replace("return 1", "return 2"));
    const hunk = " def run(self):\n-        return 1\n+        return 2";
    expect(apply(v4a(`@@ class C28:\n    ${hunk}`), base)).toBe(wanted);
  });

  it("lists fences that hold no edit beside the plan", () => {
    const rest = "Call it:\n```ts\ntotal([]);\n```\n\nThen:\n```sh\nnpm test\n```\n";
    const readSet: ReadSet = new Map([["src/cart.ts", { sha256: SHA, text: BASE }]]);
    const read = parseEdits(edit + rest, { readSet });
    if (!read.ok) throw new Error(apply(edit + rest));
    expect(remarksOn(read.value.plan)).toEqual([
      'The fence that begins with "total([]);" names no file and changes nothing.',
      'The command "npm test" was not run.',
    ]);
    const bare = parseEdits(edit, { readSet });
    expect(bare.ok && withoutRemarks(bare.value.plan)).toEqual(withoutRemarks(read.value.plan));
  });

  it.each([
    ["commands", "```sh\nsed -i 's/a/b/' src/cart.ts\n```"],
    ["a changed function", "```ts\nexport function empty() {\n  return 1;\n}\n```"],
    ["a changed line", "```ts\nexport function total(items, rate) {\n```"],
    [
      "a file without the imports that it uses",
      `\`\`\`ts\n${WANTED.replace('import { price } from "./price";\n\n', "")}\`\`\``,
    ],
    ["a remark on the file", "```\n(delete this file)\n```"],
    ["escaped text", `\`\`\`ts\n${WANTED.replace('"./price"', "&quot;./price&quot;")}\`\`\``],
    ["marks of a block", "```ts\n<<<<<<< OLD\na\n=======\nb\n>>>>>>> NEW\n```"],
    ["added lines alone", "```diff\n+export {};\n```"],
    ["lines from its middle", "```ts\n  let sum = 0;\n```"],
    ["nothing", "```ts\n```"],
  ])("never writes %s below a path into the file", (_name, fence) => {
    expect(apply(`src/cart.ts\n${fence}\n`)).toMatch(/^ERR_/);
  });

  it.each([
    ["a diff without a header", `src/cart.ts\n\`\`\`diff\n@@ -5,3 +5,3 @@\n${HUNK}\n\`\`\`\n`],
    ["changed lines alone", `**src/cart.ts**\n\`\`\`diff\n${HUNK}\n\`\`\`\n`],
    ["a diff of a copy", `--- src/cart.ts\n+++ src/cart.ts.new\n@@ -5,3 +5,3 @@\n${HUNK}\n`],
    ["a path at the mark", block(BEFORE, AFTER).replace("SEARCH", "SEARCH src/cart.ts")],
    [
      "a block in a list",
      `1. **src/cart.ts**\n   \`\`\`ts\n${block(BEFORE, AFTER).replaceAll(/^(?=.)/gm, "   ")}   \`\`\`\n`,
    ],
    [
      "a file in a list",
      `- \`src/cart.ts\`:\n  \`\`\`ts\n${WANTED.replaceAll(/^(?=.)/gm, "  ")}  \`\`\`\n`,
    ],
  ])("applies %s", (_name, answer) => {
    expect(apply(answer)).toBe(WANTED);
  });

  it.each([".gitignore", "src/\u00e9t\u00e9.ts", "app/$id.tsx", "LICENSE", "[b.ts](b.ts)"])(
    "takes %s for a path",
    (path) => {
      expect(apply(`${path}\n\`\`\`\nx\n\`\`\`\n`)).toContain('"kind":"CREATE_FILE"');
    },
  );

  it("takes the path of a fence from each way to write it", () => {
    for (const info of ["ts src/b.ts", "ts:src/b.ts", "ts filename=src/b.ts", "ts {src/b.ts}"])
      expect(apply(`New:\n\`\`\`${info}\nexport {};\n\`\`\``)).toContain('"path":"src/b.ts"');
  });

  it("names the hunk, shows the nearest lines, and says what to send", () => {
    expect(apply(v4a(HUNK.replace("price(item);", "cost(item);")))).toMatchInlineSnapshot(`
      "ERR_PATCH_APPLY_FAILED Hunk 1 of 1 for "src/cart.ts" is not in the file. The nearest lines are:
      5 |   for (const item of items) {
      6 |     sum += price(item);
      7 |   }
      8 |   return sum;
      9 | }
      10 | 
       Send its old lines exactly as they are there."
    `);
  });

  it("ends in bounded steps on a file and a patch that repeat one line", () => {
    const base = "x\n".repeat(100_000);
    expect(apply(v4a(`@@\n${" x\n".repeat(5_000)}-y\n+z`), base)).toContain(
      "ERR_PATCH_APPLY_FAILED",
    );
    const blocks = Array.from({ length: 20_000 }, (_, at) => block(`x${at}\n`, "y\n"));
    expect(apply(`src/cart.ts\n${blocks.join("")}`)).toContain("ERR_TOO_MANY_ACTIONS");
  });

  it("gives the reason for a file that could not be read, in every format", () => {
    const options = { readSet: new Map(), unread: new Map([["src/cart.ts", "It is a folder."]]) };
    const action = {
      kind: "PATCH_FILE",
      path: "src/cart.ts",
      base_sha256: SHA,
      patch: `@@\n${HUNK}`,
    };
    for (const answer of [v4a(HUNK), JSON.stringify({ summary: "s", actions: [action] })])
      expect(apply(answer, BASE, options)).toBe("ERR_UPDATE_WITHOUT_BASE It is a folder.");
  });

  it("is rejected as cut off if the model stopped at its length limit", () => {
    expect(apply(v4a(HUNK), BASE, { finishReason: "length" })).toContain("ERR_TRUNCATED");
  });
});
