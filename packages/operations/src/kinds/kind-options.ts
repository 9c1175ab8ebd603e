import type { ChatMessage, Clock, LanguageModel, TokenCounter, ToolDefinition } from "@ccl/core";
import type { StructuredSchema } from "@ccl/structured-output";

import type { Hook, MainResult, Trigger } from "../operation/operation-definition.ts";
import type { ModelReference } from "../operation/turn-settings.ts";

/** Resolves a reference to a model, with its credential. An error that it throws becomes `provider_error`. */
export type ModelResolver = (reference: ModelReference) => LanguageModel | Promise<LanguageModel>;

/** A passage that a retriever found. */
export interface RetrievedPassage {
  text: string;
  id?: string | undefined;
  title?: string | undefined;
  /** Source of the passage, such as a path or a URL. */
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

/** The values that a function may read. */
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

/** A named function. Should be pure: the same input and view return the same JSON. */
interface ComputeFunction {
  run(input: unknown, view: ComputeView): unknown;
}

/** Converts the blocks of an answer to other blocks. Pure. Receives the other parameters of its step. */
type BlockTransform = (
  blocks: readonly unknown[],
  options: Readonly<Record<string, unknown>>,
) => unknown[];

/**
 * Options of the kinds. A kind that lacks one has no handler. `template`, `transform`, `guard` and `wait` need none.
 */
export interface BuiltinOperationsOptions {
  models?: ModelResolver | undefined;
  retriever?: Retriever | undefined;
  tools?: readonly ToolDefinition[] | undefined;
  /** Functions by name. */
  functions?: Readonly<Record<string, ComputeFunction>> | undefined;
  /** Additional transforms by name. Steps refer to them as `x:<name>`. */
  transforms?: Readonly<Record<string, BlockTransform>> | undefined;
  /** Schemas by `schemaRef`: zod, another Standard Schema, or JSON Schema. */
  schemas?: Readonly<Record<string, StructuredSchema<unknown>>> | undefined;
  /** Counts tokens of prompts and passages. Defaults to core's estimate, with its 10% margin. */
  counter?: TokenCounter | undefined;
  clock?: Clock | undefined;
  /** Returns a random number in [0, 1). Used for the delays between attempts. */
  random?: (() => number) | undefined;
  /**
   * Key for the hashes of prompts and answers in summaries, one per installation. Without it, summaries contain no
   * hashes.
   */
  promptHashKey?: string | Uint8Array | undefined;
}
