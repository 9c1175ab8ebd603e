import type { TokenCounter } from "@ccl/core";

import type { Snapshot } from "../delta/snapshot.ts";
import type { PackStyle } from "./pack-layout.ts";
import type { RankedFile, RankOptions } from "../rank/rank-files.ts";

/**
 * How much of a file stands in the pack: its own lines (`full`, `slice`), its declarations without bodies
 * (`signatures`), the names that it declares (`heads`), an index card, or its path alone (`reference`).
 */
export type PackLevel = "full" | "slice" | "signatures" | "heads" | "card" | "reference";

/** What to pack, for what, and how much of it. */
export interface PackOptions extends RankOptions {
  /** In tokens of `counter`; the whole text stays within it. */
  budget: number;
  /** Maximum tokens that all files of an alias prefix may take. Default: A (decisions) 300, P (options) 200. */
  caps?: Record<string, number> | undefined;
  /** Default: the estimator of @ccl/core, under which a safety margin is kept. */
  counter?: TokenCounter | undefined;
  /** Share of the budget left free under an inexact counter. Default 0.1. */
  safetyMargin?: number | undefined;
  /** Alias of the profile that the model is to follow; shown whole. */
  profile?: string | undefined;
  /** True puts its number before each line of a file. */
  lineNumbers?: boolean | undefined;
  /** Rules for the model, before the task; they rank nothing. */
  instructions?: string | undefined;
  /** Texts that stand after the files, whole, such as a diff. */
  attachments?: { title: string; text: string }[] | undefined;
  /** Default `plain`. */
  style?: PackStyle | undefined;
  /** The last accepted state; what changed since goes into the [DELTA] section. */
  base?: Snapshot | undefined;
  /** Accepted bases, deltas since the base, repairs since the last success. Default 0, 0, 0. */
  version?: PackVersion | undefined;
}

/** The counters of the pack's header: `ver: A=1 B=0 C=0`. */
export interface PackVersion {
  accepted: number;
  deltas: number;
  repairs: number;
}

/** One file of the pack, and why it ranks where it does. */
export interface PackEntry extends RankedFile {
  level: PackLevel;
  tokens: number;
  /** Lines, declarations or names were left out to fit. */
  isCut: boolean;
  /** What the file was read by where it is not UTF-8: `utf-16le`, `utf-16be` or `latin1`. */
  encoding?: string | undefined;
}

/** One section of the text. */
export interface PackSection {
  name: "CONTEXT" | "INSTRUCTION" | "DELTA";
  tokens: number;
}

/** A file that the pack does not name, and why; files that have no text to show have no rank. */
export interface PackOmission extends Partial<Omit<RankedFile, "reason">> {
  alias: string;
  path: string;
  reason: "budget" | "cap" | "binary" | "unreadable" | "empty";
}

/** A prompt within budget. */
export interface Pack {
  text: string;
  tokens: number;
  sections: PackSection[];
  /** Ordered by rank for the task, best first. */
  entries: PackEntry[];
  /** Ordered by rank for the task, best first. */
  omitted: PackOmission[];
  /** Words of the task that no file has. */
  unmatched: string[];
  /** False when no file has any word of the task: the pack is then an overview. */
  isMatched: boolean;
}
