import type { Complete } from "@ccl/core";
import { describe, expect, it } from "vitest";

import type { EmittedEffect, WriteArtifactParams } from "../effects/operation-effect.ts";
import type { ComputeParams } from "./compute-kind.ts";
import type { GuardComparison } from "./guard-kind.ts";
import type { ResultParams, RetryParams } from "./kind.ts";
import { kinds } from "./kinds.ts";
import type { LlmParams, LlmSamplers } from "./llm-kind.ts";
import type { RagParams } from "./rag-kind.ts";
import type { TemplateParams } from "./template-kind.ts";
import type { ToolParams } from "./tool-kind.ts";
import type { TransformParams } from "./transform-kind.ts";
import type { WaitParams } from "./wait-kind.ts";

// Required, so that a field that a type has and its schema lacks does not go unseen.
const writeArtifact: Complete<WriteArtifactParams> = {
  tag: "note",
  persisted: true,
  usage: "prompt+ui",
  semantics: "state",
  contentType: "text/markdown; charset=utf-8",
  append: false,
  retention: { maxItems: 1, maxAgeMs: 2, maxBytes: 3 },
  inclusion: { mode: "at_depth", role: "user", depth: -1, template: "{{ value }}", maxTokens: 4 },
};
const emit: EmittedEffect[] = [
  { type: "prompt.append_after_last_user", role: "user", source: "art.note" },
  { type: "prompt.insert_at_depth", depthFromEnd: 0, role: "system", source: "art.note" },
  {
    type: "prompt.insert",
    anchor: { messageId: "m" },
    place: "replace",
    onAnchorTrimmed: "fail",
    role: "developer",
  },
  { type: "prompt.insert", anchor: { offset: -1 }, place: "before", role: "assistant" },
  { type: "prompt.system_update", mode: "append", separator: "\n", source: "art.note" },
  { type: "turn.user_variant", select: true, meta: { n: 1 } },
  { type: "turn.assistant_variant", select: false, meta: {} },
];
const result: Complete<ResultParams> = { writeArtifact, emit };
const retry: Complete<RetryParams> = {
  maxAttempts: 2,
  backoffMs: 1,
  retryOn: ["timeout", "rate_limit"],
};
const samplers: Complete<LlmSamplers> = {
  temperature: 1,
  topP: 1,
  topK: 1,
  frequencyPenalty: 1,
  presencePenalty: 1,
  seed: 1,
};
const llm: Complete<LlmParams> = {
  ...result,
  providerRef: "p",
  model: "m",
  credentialRef: "c",
  system: "s",
  prompt: "p",
  strictVariables: true,
  maxInputTokens: 1,
  samplers,
  maxOutputTokens: 1,
  stop: ["x"],
  output: { mode: "json", schemaRef: "s" },
  timeoutMs: 1,
  retry,
};
const template: Complete<TemplateParams> = { ...result, template: "t", strictVariables: true };
const rag: Complete<RagParams> = {
  ...result,
  query: "q",
  topK: 1,
  minScore: 0,
  maxTokens: 1,
  template: "t",
  strictVariables: true,
  timeoutMs: 1,
  retry,
};
const tool: Complete<ToolParams> = {
  ...result,
  tool: "t",
  args: { a: [1] },
  strictVariables: true,
  maxOutputChars: 1,
  timeoutMs: 1,
  retry,
};
const compute: Complete<ComputeParams> = { ...result, function: "f", input: 1, timeoutMs: 1 };
const transform: Complete<TransformParams> = {
  ...result,
  steps: [
    { use: "trim" },
    { use: "join_text" },
    { use: "replace_text", find: "a", with: "" },
    { use: "truncate", maxChars: 1 },
    { use: "suffix", text: "" },
    { use: "drop_blocks", types: ["image"] },
    { use: "x:mine", any: 1 },
  ],
  apply: ["blocks", "variant"],
  select: false,
};
const comparison: Complete<GuardComparison> = {
  ref: "chatHistory",
  last: 1,
  count: false,
  exists: true,
  equals: null,
  oneOf: [1, "a", true, null],
  greaterThan: 1,
  atLeast: 1,
  lessThan: 1,
  atMost: 1,
  contains: "a",
  startsWith: "a",
  endsWith: "a",
  ignoreCase: true,
};
const wait: Complete<WaitParams> = { ...result, question: "q", maxWaitMs: 1, otherwise: 0 };
const guard = { conditions: { it: { all: [{ any: [{ not: comparison }] }] } }, writeArtifact };

describe("schemas of parameters", () => {
  it.each([
    ["llm", llm],
    ["template", template],
    ["rag", rag],
    ["tool", tool],
    ["compute", compute],
    ["transform", transform],
    ["guard", guard],
    ["wait", wait],
  ] as const)(
    "of the kind %s accept every field of its type, and none that is not",
    (kind, params) => {
      const schema = kinds[kind].params;
      expect(schema.parse(JSON.parse(JSON.stringify(params)))).toEqual(params);
      expect(schema.safeParse({ ...params, another: 1 }).success).toBe(false);
    },
  );
});
