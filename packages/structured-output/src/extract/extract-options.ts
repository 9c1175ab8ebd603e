import type { FinishReason } from "@ccl/core";
import type { Repair } from "../repair/repair.ts";

/** Limits of reading an answer. An answer beyond `maxBytes` or `maxDepth` is refused even if it is valid. */
export interface ExtractLimits {
  /** UTF-8 bytes of the answer. Default: 16 MiB. */
  maxBytes?: number | undefined;
  /** Nested brackets. Default: 512, maximum: 2,000. Recursive validators overflow not far beyond. */
  maxDepth?: number | undefined;
  /** Repairs in one value. Default: 100,000. */
  maxRepairs?: number | undefined;
}

/** Which value is chosen. */
export interface ExtractOptions {
  /** True if a value is acceptable. If two are and differ, neither is chosen. */
  accept?: ((value: unknown) => boolean) | undefined;
  /** With `length` the answer counts as truncated even if it looks complete. */
  finishReason?: FinishReason | undefined;
  limits?: ExtractLimits | undefined;
}

/** Position of the value in the answer. */
export interface JsonSource {
  /** `double_encoded` is JSON inside a JSON string that is the whole answer. */
  kind: "whole" | "double_encoded" | "fence" | "prose";
  /** UTF-16 offsets in the answer. The end is exclusive. */
  start: number;
  end: number;
  /** Keys of the objects and lists that wrapped the accepted value as their only member, outermost first. */
  path: (string | number)[];
}

/** A value found in an answer, with its repairs and its source. */
export interface ExtractedJson {
  value: unknown;
  /** In text order. Empty if the answer was valid JSON. */
  repairs: Repair[];
  source: JsonSource;
}
