import type { ChatMessage, Clock, LanguageModel, TokenCounter, ToolDefinition } from "@ccl/core";
import type { StructuredSchema } from "@ccl/structured-output";

import type { MainResult } from "../operation/operation-context.ts";
import type { Hook, Trigger } from "../operation/operation-definition.ts";
import type { ModelReference } from "../operation/turn-settings.ts";

/** Finds the model of a reference, with its credential. An error from it becomes `provider_error`. */
export type ModelResolver = (reference: ModelReference) => LanguageModel | Promise<LanguageModel>;

/** What a model costs, in US dollars per million tokens. */
export interface ModelPrice {
  inputUsdPerMillion: number;
  outputUsdPerMillion: number;
}

/** A passage that a retriever found. */
export interface RetrievedPassage {
  text: string;
  id?: string | undefined;
  title?: string | undefined;
  /** Where it comes from, such as a path or a URL. */
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
  /** Present after the main call. */
  main?: MainResult | undefined;
  hook: Hook;
  trigger: Trigger;
  signal: AbortSignal;
}

/** A named function. It should be pure: it returns JSON, and the same for the same input and view. */
interface ComputeFunction {
  run(input: unknown, view: ComputeView): unknown;
}

/** Turns the blocks of an answer into others. Pure. It receives the other parameters of its step. */
type BlockTransform = (
  blocks: readonly unknown[],
  options: Readonly<Record<string, unknown>>,
) => unknown[];

/** Options of the kinds. A kind that lacks one has no handler. `template`, `transform`, `guard`, `wait` need none. */
export interface BuiltinOperationsOptions {
  models?: ModelResolver | undefined;
  retriever?: Retriever | undefined;
  tools?: readonly ToolDefinition[] | undefined;
  /** By name. */
  functions?: Readonly<Record<string, ComputeFunction>> | undefined;
  /** Additional transforms by name. A step refers to one as `x:<name>`. */
  transforms?: Readonly<Record<string, BlockTransform>> | undefined;
  /** By `schemaRef`: zod, another Standard Schema, or JSON Schema. */
  schemas?: Readonly<Record<string, StructuredSchema<unknown>>> | undefined;
  /** By `providerRef/model`, then by `model`. An operation with a budget is refused if its model has no price. */
  prices?: Readonly<Record<string, ModelPrice>> | undefined;
  /** Counts tokens of prompts, passages and budgets. By default core's estimate, with its margin of a tenth. */
  counter?: TokenCounter | undefined;
  clock?: Clock | undefined;
  /** A random number from 0 to below 1. Used for the waits between attempts. */
  random?: (() => number) | undefined;
  /** Key for the hashes of prompts and answers in summaries, one for each installation. Without it there are none. */
  promptHashKey?: string | Uint8Array | undefined;
}
