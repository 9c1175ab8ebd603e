import type { ChatMessage } from "@ccl/core";
import { expect, it } from "vitest";

import { exact, words } from "../../test-support/sample-session.ts";
import { analyzeHistory } from "./analyze-history.ts";
import { currentFiles } from "./current-files.ts";
import { fitMessages } from "./fit-messages.ts";
import { createMessageMeter } from "./message-meter.ts";

type Call = [name: string, input: object, result?: string | undefined];

const historyOf = (calls: readonly Call[]): ChatMessage[] => [
  { role: "user", content: "Go on until it is done." },
  ...calls.flatMap(([name, input, result = "ok"], at): ChatMessage[] => [
    {
      role: "assistant",
      content: "",
      toolCalls: [{ id: `c${at}`, name, arguments: JSON.stringify(input) }],
    },
    { role: "tool", toolCallId: `c${at}`, content: result },
  ]),
];
const run = (command: string, result?: string): Call => ["bash", { command }, result];

it.each<[what: string, calls: Call[], units: number[][]]>([
  ["the last whole read", [run("cat ./a.ts"), run("cd /app && cat a.ts")], [[2]]],
  ["files apart, newest first", [run("cat a.ts"), run("nl -ba b.ts")], [[2], [1]]],
  [
    "parts until all is read",
    [run("sed -n '1,9p' a.ts"), run("sed -n '9,20p' a.ts"), run("head -5 b.ts"), run("cat b.ts")],
    [[4], [2], [1]],
  ],
  ["no part of what was read whole", [run("cat a.ts"), run("head -n 5 a.ts")], [[1]]],
  [
    "edits since",
    [run("cat src/a.ts"), run("sed -i s/a/b/ src/a.ts"), run("grep b src/a.ts 2>/dev/null")],
    [[1, 2]],
  ],
  ["what was written over it", [run("cat a.ts"), run("cat > a.ts << 'EOF'\nnew\nEOF")], [[2]]],
  ["nothing that was only written", [run("cat > test.py << 'EOF'\nnew\nEOF")], []],
  ["no read that failed", [run("cat a.ts", "<returncode>1</returncode> none")], []],
  ["no search", [run("cat a.ts | grep b"), run("grep -rn b .")], []],
  [
    "tools with paths",
    [
      ["read_file", { path: "a.ts" }],
      ["str_replace", { path: "a.ts", old_str: "a", new_str: "b" }],
      ["str_replace_editor", { command: "view", path: "b.ts", view_range: [1, 9] }],
    ],
    [[3], [1, 2]],
  ],
])("finds the current copy of each file: %s", (_, calls, units) => {
  const history = analyzeHistory(historyOf(calls), createMessageMeter(exact));
  expect(currentFiles(history.units)).toEqual(units);
});

it("keeps a file and its edits where other results of that age are gone", () => {
  const other = (at: number): Call => run(`npm test -- ${at}`, words(120, at));
  const others = (from: number, count: number): Call[] =>
    Array.from({ length: count }, (_one, at) => other(from + at));
  const file = words(60).replaceAll("word", "line");
  const promptOf = (read: string, edit: string): string =>
    JSON.stringify(
      fitMessages(historyOf([...others(0, 6), run(read, file), run(edit), ...others(50, 60)]), {
        budget: 6_000,
        counter: exact,
        policy: "balanced",
      }).messages,
    );
  const isKept = (prompt: string): boolean => prompt.includes(file);
  const prompt = promptOf("cat a.ts", "sed -i s/a/b/ a.ts");
  expect(isKept(prompt)).toBe(true);
  expect(prompt).toContain("sed -i");
  expect(isKept(promptOf("npm run a", "npm run b"))).toBe(false);
});
