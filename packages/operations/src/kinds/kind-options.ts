import type { ChatMessage, Clock, LanguageModel, TokenCounter, ToolDefinition } from "@ccl/core";
import type { StructuredSchema } from "@ccl/structured-output";

import type { TemplateRenderer } from "../liquid/template-renderer.ts";
import type { MainResult } from "../operation/operation-context.ts";
import type { Hook, Trigger } from "../operation/operation-definition.ts";
import type { ModelReference } from "../operation/turn-settings.ts";

/** Finds the model of a reference, with its credential. What it throws is `provider_error`. */
export type ModelResolver = (reference: ModelReference) => LanguageModel | Promise<LanguageModel>;

/** What a model costs, in US dollars for a million tokens. */
export interface ModelPrice {
  inputUsdPerMillion: number;
  outputUsdPerMillion: number;
}

/** One thing that a retriever found. */
export interface RetrievedPassage {
  text: string;
  id?: string | undefined;
  title?: string | undefined;
  /** Where it comes from, like a path or an address. */
  source?: string | undefined;
  /** Higher is better. */
  score?: number | undefined;
}

/** Finds passages for a query, best first. */
export interface Retriever {
  retrieve(
    query: string,
    options: { topK: number; signal: AbortSignal },
  ): Promise<readonly RetrievedPassage[]>;
}

/** What a function may read. */
export interface ComputeView {
  /** Values by tag. */
  art: Readonly<Record<string, unknown>>;
  chatHistory: readonly ChatMessage[];
  /** After the main call. */
  main?: MainResult | undefined;
  hook: Hook;
  trigger: Trigger;
  signal: AbortSignal;
}

/** A named function. It should be pure: what it gives is JSON, and the same for the same input and view. */
interface ComputeFunction {
  run(input: unknown, view: ComputeView): unknown;
}

/** Turns the blocks of an answer into others. Pure; gets the other parameters of its step. */
type BlockTransform = (
  blocks: readonly unknown[],
  options: Readonly<Record<string, unknown>>,
) => unknown[];

/** What the kinds need; a kind whose part is absent has no handler. `template`, `transform`, `guard` and `wait` need nothing. */
export interface BuiltinOperationsOptions {
  models?: ModelResolver | undefined;
  retriever?: Retriever | undefined;
  tools?: readonly ToolDefinition[] | undefined;
  /** By name. */
  functions?: Readonly<Record<string, ComputeFunction>> | undefined;
  /** Further transforms by name; a step names one as `x:<name>`. */
  transforms?: Readonly<Record<string, BlockTransform>> | undefined;
  /** By `schemaRef`: zod, another Standard Schema, or JSON Schema. */
  schemas?: Readonly<Record<string, StructuredSchema<unknown>>> | undefined;
  /** By `providerRef/model`, then by `model`. Without a price of its model an operation with a budget is refused. */
  prices?: Readonly<Record<string, ModelPrice>> | undefined;
  /** Of tokens of prompts, passages and budgets; default core's estimate, with its margin of a tenth. */
  counter?: TokenCounter | undefined;
  liquid?: TemplateRenderer | undefined;
  clock?: Clock | undefined;
  /** From 0 to below 1; draws the waits between attempts. */
  random?: (() => number) | undefined;
  /** Key of the hashes of prompts and answers in summaries, one for each installation; without it there are none. */
  promptHashKey?: string | Uint8Array | undefined;
}
