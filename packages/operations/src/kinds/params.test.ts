import type { Complete } from "@ccl/core";
import { describe, expect, it } from "vitest";

import { computeParamsSchema, type ComputeParams } from "./create-compute-operation.ts";
import { guardParamsSchema } from "./create-guard-operation.ts";
import { ragParamsSchema, type RagParams } from "./create-rag-operation.ts";
import { templateParamsSchema, type TemplateParams } from "./create-template-operation.ts";
import { toolParamsSchema, type ToolParams } from "./create-tool-operation.ts";
import { transformParamsSchema, type TransformParams } from "./create-transform-operation.ts";
import type { GuardComparison } from "./guard-condition.ts";
import { llmParamsSchema, type LlmParams, type LlmSamplers } from "./llm-params.ts";
import type { EmittedEffect } from "../effects/operation-effect.ts";
import type { ResultParams, WriteArtifactParams } from "./result-params.ts";
import type { RetryParams } from "./run-attempts.ts";

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
  budget: { maxCostUsd: 1 },
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
const guard = { conditions: { it: { all: [{ any: [{ not: comparison }] }] } }, writeArtifact };

describe("schemas of parameters", () => {
  it.each([
    ["llm", llmParamsSchema, llm],
    ["template", templateParamsSchema, template],
    ["rag", ragParamsSchema, rag],
    ["tool", toolParamsSchema, tool],
    ["compute", computeParamsSchema, compute],
    ["transform", transformParamsSchema, transform],
    ["guard", guardParamsSchema, guard],
  ])(
    "of the kind %s accept every field of its type, and none that is not",
    (_kind, schema, params) => {
      expect(schema.parse(JSON.parse(JSON.stringify(params)))).toEqual(params);
      expect(schema.safeParse({ ...params, another: 1 }).success).toBe(false);
    },
  );
});
