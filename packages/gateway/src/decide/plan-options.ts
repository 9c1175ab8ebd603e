import type { TokenCounter } from "@ccl/core";

import type { CachePrice } from "../price/cache-price.ts";

/** `audit` changes nothing. `safe` makes only lossless changes. `full` also shortens large and old results. */
export type GatewayMode = "audit" | "safe" | "full";

/**
 * How a model gets the omitted part of an artifact by its id. A function returns a command, which needs a shell or the MCP
 * tool `search_artifact` among the request's tools. If neither exists, no result is shown in part. `hash` writes `hash=`
 * with 24 digits, which services in front of a model API look for.
 */
export type RestHint = "hash" | ((artifactId: string) => string);

/** Options for how results are shown. */
export interface PlanOptions {
  mode: GatewayMode;
  counter: TokenCounter;
  price: CachePrice;
  /** How a shortened result refers to its rest. Default: a command of `ccl artifacts`. */
  hint?: RestHint | undefined;
  /** Token limit for a result when it is first shown. Only in `full`. */
  selectAbove: number;
  /** Results are not selected below this size. Default: 0. */
  minTokens?: number | undefined;
  /** Prompts above this many tokens get old results shortened. Only in `full`. */
  cutAbove: number;
}

/** How a result was changed. `restored` adds the full text of a shortened result that it refers to. */
export type ShownForm = "lossless" | "repeat" | "selection" | "cut" | "restored";

/** A result as the model reads it. */
export interface ShownResult {
  text: string;
  form: ShownForm;
}

/** The decisions before one model call, by the index of each result in the history. */
export interface Decision {
  /** Hash of the history up to the call, without system prompt and tools. */
  at: string;
  edits: readonly (readonly [place: number, shown: ShownResult])[];
  /** Savings beyond `safe` before this call, in plain input tokens. */
  credit: number;
  /** Tokens of results under `safe`, by index, if fewer than unchanged. Only in `full`. */
  safe?: readonly (readonly [place: number, tokens: number])[] | undefined;
}
