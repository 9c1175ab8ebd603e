import { expect, it } from "vitest";

import { fromResponsesItems, toResponsesInput } from "./openai-responses/index.ts";
import { toResponsesItems } from "./openai-responses/to-responses-items.ts";

const items: object[] = [
  { type: "message", role: "developer", content: [{ type: "input_text", text: "Rules." }] },
  {
    role: "user",
    content: [
      { type: "input_text", text: "Go" },
      { type: "input_image", image_url: "data:image/png;base64,AQID", detail: "high" },
      { type: "input_image", file_id: "file-1", detail: "auto" },
      { type: "input_file", filename: "a.pdf", file_data: "data:application/pdf;base64,AQID" },
    ],
  },
  { type: "reasoning", id: "rs_1", summary: [], encrypted_content: "gAAA" },
  {
    type: "reasoning",
    id: "rs_2",
    summary: [
      { type: "summary_text", text: "One" },
      { type: "summary_text", text: "Two" },
    ],
    content: [{ type: "reasoning_text", text: "Three" }],
    encrypted_content: null,
    status: "completed",
  },
  {
    type: "function_call",
    id: "fc_1",
    call_id: "c1",
    name: "look",
    arguments: '{"at":1}',
    status: "completed",
  },
  {
    type: "web_search_call",
    id: "ws_1",
    status: "completed",
    action: { type: "search", query: "x" },
  },
  { type: "custom_tool_call", call_id: "c2", name: "patch", input: "*** Begin" },
  { type: "function_call_output", call_id: "c1", output: "one" },
  { type: "custom_tool_call_output", call_id: "c2", output: [{ type: "input_text", text: "two" }] },
  {
    id: "msg_1",
    type: "message",
    status: "completed",
    role: "assistant",
    phase: "commentary",
    content: [
      { type: "output_text", text: "So", annotations: [], logprobs: [] },
      { type: "output_text", text: "then", annotations: [{ type: "url_citation", url: "u" }] },
      { type: "refusal", refusal: "no" },
    ],
  },
  { role: "assistant", content: "Plain." },
  { type: "item_reference", id: "msg_9" },
  { id: "msg_8" },
  { type: "computer_call_output", call_id: "cc", output: { type: "computer_screenshot" } },
];

it("gives back the items that it was given, in their order and with the order of their keys", () => {
  const kept = JSON.parse(JSON.stringify(fromResponsesItems(items)));
  expect(JSON.stringify(toResponsesItems(fromResponsesItems(items)))).toBe(JSON.stringify(items));
  expect(kept.map(({ role }: { role: string }) => role)).toEqual([
    "developer",
    "user",
    "assistant",
    "tool",
    "tool",
    "assistant",
  ]);
  expect(kept[2].toolCalls.map(({ id }: { id: string }) => id)).toEqual(["c1", "c2"]);
});

it.each<[given: string | object[], instructions?: string]>([
  ["Hi"],
  ["Hi", "Rules."],
  [items, "Rules."],
])("gives back input %# with its instructions", (input, instructions) => {
  const given = instructions === undefined ? { input } : { instructions, input };
  expect(toResponsesInput(fromResponsesItems(given))).toEqual(given);
});

it("writes what was changed, and keeps what the change did not touch", () => {
  const messages = fromResponsesItems([
    { content: "Hi", role: "user", id: null },
    { type: "message", content: "Old", role: "assistant" },
  ]);
  const edited = messages.map((message) => ({ ...message, content: "New" }));
  expect(toResponsesItems(edited)).toEqual([
    { role: "user", content: "New", id: null },
    { role: "assistant", content: "New" },
  ]);
});
