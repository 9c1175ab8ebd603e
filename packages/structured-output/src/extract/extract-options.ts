import type { FinishReason } from "@ccl/core";
import type { Repair } from "../repair/repair.ts";

/** What reading an answer may cost; a text beyond it is refused, valid or not, but for `maxRepairs`. */
export interface ExtractLimits {
  /** UTF-8 bytes of the answer; default 16 MiB. */
  maxBytes?: number | undefined;
  /** Nested brackets; default 512, at most 2,000: validators that recurse overflow not far beyond. */
  maxDepth?: number | undefined;
  /** Repairs in one value; default 100,000. */
  maxRepairs?: number | undefined;
}

/** What decides which value is meant. */
export interface ExtractOptions {
  /** Whether a value is what was asked for. Of two that are and differ, none is taken. */
  accept?: ((value: unknown) => boolean) | undefined;
  /** With `length` the answer is refused as truncated, however complete it looks. */
  finishReason?: FinishReason | undefined;
  limits?: ExtractLimits | undefined;
}

/** Where in the answer the value stood. */
export interface JsonSource {
  /** `double_encoded` is JSON inside a JSON string that is the whole answer. */
  kind: "whole" | "double_encoded" | "fence" | "prose";
  /** UTF-16 offsets in the answer, the end excluded. */
  start: number;
  end: number;
  /** The only members that wrapped the value that was accepted, from the outermost on; empty without such wrappers. */
  path: (string | number)[];
}

/** A value found in an answer, and what it took. */
export interface ExtractedJson {
  value: unknown;
  /** In the order of the text; empty if it was JSON as it stood. */
  repairs: Repair[];
  source: JsonSource;
}
