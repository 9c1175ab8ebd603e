import type { TokenCounter } from "@ccl/core";

import type { CachePrice } from "../price/cache-price.ts";

/** `audit` changes nothing, `safe` only what loses nothing, `full` also selects from large and old results. */
export type GatewayMode = "audit" | "safe" | "full";

/**
 * What a model does to get the rest of an artifact by its id: a command, where the tools of its request have a shell or the MCP
 * tool `search_artifact`, and nothing is shown in part where they have not. Or `hash`: `hash=` with 24 digits, which services in
 * front of a model API look for.
 */
export type RestHint = "hash" | ((artifactId: string) => string);

/** How results are shown. */
export interface PlanOptions {
  mode: GatewayMode;
  counter: TokenCounter;
  price: CachePrice;
  /** How a result that is shown in part names the rest. Default: a command of `ccl artifacts`. */
  hint?: RestHint | undefined;
  /** A result is shown within so many tokens from the first time on. Only in `full`. */
  selectAbove: number;
  /** Old results are shortened in prompts above so many tokens. Only in `full`. */
  cutAbove: number;
}

/** Why a result is not shown as it came; `restored` holds what it refers to, which is shown in part. */
export type ShownForm = "lossless" | "repeat" | "selection" | "cut" | "restored";

/** A result as the model reads it. */
export interface ShownResult {
  text: string;
  form: ShownForm;
}

/** What was decided before one model call, by the place of each result in the history. */
export interface Decision {
  /** Hash of all that the model had been said, without system prompt and tools. */
  at: string;
  edits: readonly (readonly [place: number, shown: ShownResult])[];
  /** What had been saved until then beside `safe`, in plain input tokens. */
  credit: number;
  /** Tokens of results in `safe`, where they are fewer than as they came, by their places. Only in `full`. */
  safe?: readonly (readonly [place: number, tokens: number])[] | undefined;
}
