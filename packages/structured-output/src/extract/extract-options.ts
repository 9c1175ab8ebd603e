import type { FinishReason } from "@ccl/core";
import type { Repair } from "../repair/repair.ts";

/** Limits for reading an answer. An answer beyond `maxBytes` or `maxDepth` is rejected even if valid. */
export interface ExtractLimits {
  /** UTF-8 size of the answer. Default: 16 MiB. */
  maxBytes?: number | undefined;
  /** Nesting depth of brackets. Default: 512, maximum: 2,000. Recursive validators overflow not far above that. */
  maxDepth?: number | undefined;
  /** Repairs per value. Default: 100,000. */
  maxRepairs?: number | undefined;
}

/** How to choose a value. */
export interface ExtractOptions {
  /** Returns true for an acceptable value. If two differing values are, neither is chosen. */
  accept?: ((value: unknown) => boolean) | undefined;
  /** With `length`, the answer counts as truncated even if it looks complete. */
  finishReason?: FinishReason | undefined;
  limits?: ExtractLimits | undefined;
}

/** The value's position in the answer. */
export interface JsonSource {
  /** `double_encoded` means JSON inside a JSON string that is the entire answer. */
  kind: "whole" | "double_encoded" | "fence" | "prose";
  /** UTF-16 offsets in the answer. The end is exclusive. */
  start: number;
  end: number;
  /** Keys of the objects and lists that contained the accepted value as their only member, outermost first. */
  path: (string | number)[];
}

/** A value found in an answer, with its repairs and its source. */
export interface ExtractedJson {
  value: unknown;
  /** In text order. Empty if the answer was valid JSON. */
  repairs: Repair[];
  source: JsonSource;
}
