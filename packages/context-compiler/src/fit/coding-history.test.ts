import type { ChatMessage } from "@ccl/core";
import { expect, it } from "vitest";
import { exact, words } from "../../test-support/sample-session.ts";
import { isCodingHistory } from "./fit-policy.ts";
import { fitMessages } from "./fit-messages.ts";

const historyOf = (name: string, inputs: readonly string[]): ChatMessage[] => [
  { role: "user", content: "Go on until it is done." },
  ...inputs.flatMap((input, at): ChatMessage[] => [
    { role: "assistant", content: "", toolCalls: [{ id: `c${at}`, name, arguments: input }] },
    { role: "tool", toolCallId: `c${at}`, content: `${at} ${words(150, at)}` },
  ]),
];
const repeated = (input: object, count = 30): string[] =>
  Array.from({ length: count }, () => JSON.stringify(input));

it.each<[what: string, inputs: string[], isCoding: boolean]>([
  ["commands", repeated({ command: "npm test" }), true],
  ["commands with a description", repeated({ description: "Tests.", command: "ls" }), true],
  ["edits", repeated({ file_path: "a.ts", old_string: "a", new_string: "b" }), true],
  ["look-ups", repeated({ order: 7 }), false],
  ["prose about commands", repeated({ text: '{"command":1}' }), false],
  [
    "fewer commands than look-ups",
    [...repeated({ order: 7 }), ...repeated({ command: "ls" }, 9)],
    false,
  ],
  ["look-ups long ago", [...repeated({ order: 7 }), ...repeated({ command: "ls" }, 25)], true],
  ["few commands", repeated({ command: "ls" }, 3), false],
  ["arguments that are not JSON", Array.from({ length: 30 }, () => "{".repeat(1_000)), false],
])("recognizes a coding agent's history by its calls: %s", (_, inputs, isCoding) => {
  expect(isCodingHistory(historyOf("run", inputs))).toBe(isCoding);
});

it("cuts a coding agent's history lower, but not in a single fit without state", () => {
  const options = { budget: 3_000, counter: exact };
  const roomOf = (input: object, own: object = {}): number =>
    fitMessages(historyOf("run", repeated(input)), { ...options, ...own }).tokens / 3_000;
  const balanced = { policy: "balanced" as const };
  expect(roomOf({ command: "ls" }, balanced)).toBeLessThan(0.52);
  expect(roomOf({ order: 7 }, balanced)).toBeGreaterThan(0.58);
  expect(roomOf({ command: "ls" }, { ...balanced, cutTo: 0.6 })).toBeGreaterThan(0.58);
  expect(roomOf({ command: "ls" })).toBeGreaterThan(0.9);
});
