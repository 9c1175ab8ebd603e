import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import type { ChatMessage, LanguageModel } from "@ccl/core";
import { createAnthropicModel } from "@ccl/providers/anthropic";
import { createOpenAiCompatibleModel } from "@ccl/providers/openai-compatible";
import { startTestServer, type TestBehaviour } from "@ccl/providers/testing";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { readTree } from "../../test-support/read-tree.ts";
import { openWorkspace } from "../node/open-workspace.ts";
import type { FileWorkspace } from "../workspace/file-workspace.ts";
import { createEditTools, type EditToolsOptions } from "./create-edit-tools.ts";

let root = "";
let workspace: FileWorkspace;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), "ccl-tools-"));
  await writeFile(join(root, "a.js"), "const one = 1;\nconst two = 2;\n");
  await writeFile(join(root, "old.js"), "gone();\n");
  workspace = await openWorkspace({ root });
});
afterEach(async () => {
  await workspace.close();
  await rm(root, { recursive: true, force: true });
});

const REMOVAL = `*** Begin Patch
*** Update File: a.js
@@
-const two = 2;
+const two = 22;
*** Delete File: old.js
*** End Patch`;

type Call = [name: string, input: object];

/** Calls tools one after the other, or all of a list at once. */
async function callAll(calls: readonly Call[], options?: EditToolsOptions): Promise<string[]> {
  const tools = new Map(createEditTools(workspace, options).map((tool) => [tool.name, tool]));
  const answers: string[] = [];
  for (const [name, input] of calls)
    answers.push((await tools.get(name)?.execute(input, {})) ?? `There is no ${name}.`);
  return answers;
}

function answersWith(...calls: Call[]): TestBehaviour {
  const toolCalls = calls.map(([name, input], index) => ({
    id: `call_${index}_${name}`,
    name,
    arguments: JSON.stringify(input),
  }));
  return { type: "answer", toolCalls };
}

const SCRIPT: TestBehaviour[] = [
  answersWith(["read_file", { path: "a.js" }]),
  answersWith(
    ["str_replace", { path: "a.js", old_str: "one = 1", new_str: "one = 11" }],
    ["str_replace", { path: "a.js", old_str: "two = 2", new_str: "two = 12" }],
    ["create_file", { path: "new/b.js", file_text: "made();\n" }],
  ),
  answersWith(["str_replace", { path: "a.js", old_str: "three", new_str: "3" }]),
  answersWith(["undo_edit", {}], ["undo_edit", {}]),
  { type: "answer", text: "Done." },
];

/** An agent loop as any application has it. */
async function runLoop(model: LanguageModel): Promise<ChatMessage[]> {
  const tools = createEditTools(workspace);
  const messages: ChatMessage[] = [{ role: "user", content: "Change the numbers." }];
  for (;;) {
    const { text, toolCalls } = await model.generate({ messages, tools });
    messages.push({ role: "assistant", content: text, toolCalls });
    if (toolCalls.length === 0) return messages;
    const results = toolCalls.map(async ({ id, name, arguments: input }) => ({
      role: "tool" as const,
      toolCallId: id,
      content:
        (await tools.find((tool) => tool.name === name)?.execute(JSON.parse(input), {})) ?? "",
    }));
    messages.push(...(await Promise.all(results)));
  }
}

describe("the tools in an agent loop", () => {
  it.each([
    ["openai", createOpenAiCompatibleModel],
    ["anthropic", createAnthropicModel],
  ] as const)("edit, refuse and undo over the wire of %s", async (dialect, create) => {
    const server = await startTestServer({ script: SCRIPT });
    const model = create({ baseUrl: server.baseUrl(dialect), model: "any" });
    const messages = await runLoop(model).finally(() => server.close());
    const results = messages.filter(({ role }) => role === "tool").map(({ content }) => content);
    expect(results).toEqual([
      "const one = 1;\nconst two = 2;\n",
      "PATCH_FILE a.js",
      "PATCH_FILE a.js",
      "CREATE_FILE new/b.js",
      expect.stringMatching(
        /^Not done\. ERR_EDIT_BEFORE_NOT_FOUND: Edit 1 of 1 .* is not in the file/,
      ),
      "Restored: new, new/b.js",
      "Restored: a.js",
    ]);
    expect(messages.at(-1)?.content).toBe("Done.");
    expect(await readFile(join(root, "a.js"), "utf8")).toBe("const one = 11;\nconst two = 2;\n");
    // What stood on the wire: the names, the schemas and each result.
    const { body } = server.calls.at(-1) ?? {};
    const sent = JSON.stringify(body);
    for (const { name } of createEditTools(workspace)) expect(sent).toContain(`"name":"${name}"`);
    expect(sent).toContain("ERR_EDIT_BEFORE_NOT_FOUND");
    expect(sent).toContain('"replace_all":{"type":"boolean"');
  });
});

describe("a call", () => {
  it("that deletes is refused until the caller consents, and then is undone as a whole", async () => {
    const before = await readTree(root);
    const asked: string[][] = [];
    const confirm = ({ changes }: { changes: { path: string }[] }): boolean => {
      asked.push(changes.map(({ path }) => path));
      return true;
    };
    const call: Call = ["apply_patch", { patch: REMOVAL }];
    expect(await callAll([call])).toEqual([
      "Not done. CONFIRM_REQUIRED: The edit deletes files or folders, and the deletion was not confirmed.",
    ]);
    expect(await readTree(root)).toEqual(before);
    const answers = await callAll([call, ["undo_edit", {}], ["undo_edit", {}]], { confirm });
    expect(answers).toEqual([
      "PATCH_FILE a.js\nDELETE_FILE old.js",
      "Restored: a.js, old.js",
      "Not done. There are no edits to undo.",
    ]);
    expect(asked).toEqual([["a.js", "old.js"]]);
    expect(await readTree(root)).toEqual(before);
  });

  it.each<[string, Call, string]>([
    ["a member that is missing", ["str_replace", { path: "a.js" }], "input.old_str: "],
    ["an input that is no object", ["read_file", ["a.js"]], "object"],
    ["a path outside", ["read_file", { path: "../a.js" }], "ERR_INVALID_PATH"],
    ["an absolute path elsewhere", ["create_file", { path: "/etc/x", file_text: "" }], "absolute"],
    ["a protected path", ["create_file", { path: ".git/hooks/x", file_text: "" }], "protected"],
    ["a file that is there", ["create_file", { path: "a.js", file_text: "x" }], "exists already"],
    ["a file that is not", ["str_replace", { path: "x", old_str: "a", new_str: "b" }], "no file"],
    [
      "a text that stands twice",
      ["str_replace", { path: "a.js", old_str: "const", new_str: "let" }],
      "more than once",
    ],
    ["half a patch", ["apply_patch", { patch: REMOVAL.slice(0, -10) }], "ERR_TRUNCATED"],
    ["a patch of nothing", ["apply_patch", { patch: "NO_CHANGES: fine" }], "not change any file"],
  ])("with %s says what is wrong and changes nothing", async (_name, call, said) => {
    const before = await readTree(root);
    const [answer] = await callAll([call]);
    expect(answer).toMatch(/^Not done\. /);
    expect(answer).toContain(said);
    expect(await readTree(root)).toEqual(before);
  });

  it("takes an absolute path below the root, every place of a text, and lines of a file", async () => {
    const [edited, shown] = await callAll([
      [
        "str_replace",
        { path: `${root}/a.js`, old_str: "const", new_str: "let", replace_all: true },
      ],
      ["read_file", { path: "a.js", start_line: 2, end_line: 2 }],
    ]);
    expect([edited, shown]).toEqual(["PATCH_FILE a.js", "let two = 2;\n"]);
  });

  it("whose check fails leaves the files as they were, and says so", async () => {
    const before = await readTree(root);
    const command: [string, ...string[]] = [
      process.execPath,
      "-e",
      'process.exit(require("fs").readFileSync("a.js", "utf8").includes("broken") ? 1 : 0)',
    ];
    const call: Call = ["str_replace", { path: "a.js", old_str: "= 1", new_str: "= broken" }];
    const [answer] = await callAll([call], { checks: [{ name: "parses", command }] });
    expect(answer).toMatch(/^Not done\. AUTO_CHECK_FAILED_ROLLED_BACK/);
    expect(await readTree(root)).toEqual(before);
  });

  it("changes any number of files by one patch", async () => {
    const names = Array.from({ length: 70 }, (_, at) => `part${at}.js`);
    for (const name of names) await writeFile(join(root, name), "one();\n");
    const updates = names.map((name) => `*** Update File: ${name}\n@@\n-one();\n+two();\n`);
    const patch = `*** Begin Patch\n${updates.join("")}*** End Patch`;
    const [answer] = await callAll([["apply_patch", { patch }]]);
    expect(answer?.split("\n")).toHaveLength(70);
    expect(await readFile(join(root, "part69.js"), "utf8")).toBe("two();\n");
  });

  it("undoes earlier edits of other files where the last edited file was changed by hand", async () => {
    const tools = new Map(createEditTools(workspace).map((tool) => [tool.name, tool]));
    const call = async (name: string, input: object = {}): Promise<string | undefined> =>
      await tools.get(name)?.execute(input, {});
    await call("str_replace", { path: "old.js", old_str: "gone", new_str: "back" });
    await call("str_replace", { path: "a.js", old_str: "= 1", new_str: "= 11" });
    await writeFile(join(root, "a.js"), "mine();\n");
    expect(await call("undo_edit")).toBe(
      'Not done. CONCURRENT_EDIT: "a.js" was changed since the transaction. Nothing was restored.\nundo_edit skips this edit from now on. To undo it, edit the file. Call undo_edit again to undo the edit before it.',
    );
    expect(await call("undo_edit")).toBe("Restored: old.js");
    expect(await call("undo_edit")).toBe("Not done. There are no edits to undo.");
    expect(await readFile(join(root, "a.js"), "utf8")).toBe("mine();\n");
    expect(await readFile(join(root, "old.js"), "utf8")).toBe("gone();\n");
  });

  it("tells a slip that was forgiven", async () => {
    const patch = REMOVAL.replace("-const two = 2;", "-const two = 2;  ").replace(
      /\*{3} Delete.*\n/,
      "",
    );
    const [answer] = await callAll([["apply_patch", { patch }]]);
    expect(answer).toBe("PATCH_FILE a.js\nHunk 1: blanks at line ends were passed over.");
  });
});
