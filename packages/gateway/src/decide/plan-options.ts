import type { TokenCounter } from "@ccl/core";

import type { CachePrice } from "../price/cache-price.ts";

/** `audit` changes nothing. `safe` only makes lossless changes. `full` also shortens large and old results. */
export type GatewayMode = "audit" | "safe" | "full";

/**
 * How a model retrieves the omitted part of an artifact by id. A function returns a command. It requires a shell or the
 * MCP tool `search_artifact` among the request's tools. Without either, every result is shown whole. `hash` writes
 * `hash=` with 24 digits, a form that services in front of a model API recognize.
 */
export type RestHint = "hash" | ((artifactId: string) => string);

/** Options for how results are shown. */
export interface PlanOptions {
  mode: GatewayMode;
  counter: TokenCounter;
  price: CachePrice;
  /** How a shortened result refers to the omitted rest. Default: a `ccl artifacts` command. */
  hint?: RestHint | undefined;
  /** Token limit for a result when it is first shown. Only used in `full`. */
  selectAbove: number;
  /** Minimum size of results to select from. Default: 0. */
  minTokens?: number | undefined;
  /** Prompt size in tokens above which old results are shortened. Only used in `full`. */
  cutAbove: number;
}

/** How a result was changed. `restored` adds the full text of the shortened result that it refers to. */
export type ShownForm = "lossless" | "repeat" | "selection" | "cut" | "restored";

/** A result as shown to the model. */
export interface ShownResult {
  text: string;
  form: ShownForm;
}

/** The decisions before a model call, by the index of each result in the history. */
export interface Decision {
  /** Hash of the history before the call, without system prompt and tools. */
  at: string;
  edits: readonly (readonly [place: number, shown: ShownResult])[];
  /** Savings beyond `safe` before this call, in plain input tokens. */
  credit: number;
  /** Token counts of results under `safe`, by index, if lower than unchanged. Only used in `full`. */
  safe?: readonly (readonly [place: number, tokens: number])[] | undefined;
}
