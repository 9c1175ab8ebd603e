import type { TokenCounter } from "@ccl/core";

import type { Snapshot } from "../delta/snapshot.ts";
import type { PackStyle } from "./pack-layout.ts";
import type { RankedFile, RankOptions } from "../rank/rank-files.ts";

/**
 * How much of a file the pack shows: its original lines (`full`, `slice`), its declarations without
 * bodies (`signatures`), the names that it declares (`heads`), an index card, or only its path
 * (`reference`).
 */
export type PackLevel = "full" | "slice" | "signatures" | "heads" | "card" | "reference";

/** Options of `buildPack`. */
export interface PackOptions extends RankOptions {
  /** Maximum tokens of the whole text, counted by `counter`. */
  budget: number;
  /** Maximum tokens that all files of an alias prefix may take. By default 300 for A (decisions) and 200 for P (options). */
  caps?: Record<string, number> | undefined;
  /** By default the estimator of @ccl/core. A tenth of the budget stays free unless the counter is exact. */
  counter?: TokenCounter | undefined;
  /** Puts the line number before each line of a file. */
  lineNumbers?: boolean | undefined;
  /** Rules for the model, placed before the task. They do not affect ranking. */
  instructions?: string | undefined;
  /** Texts to show whole after the files, such as a diff. */
  attachments?: { title: string; text: string }[] | undefined;
  /** `plain` by default. */
  style?: PackStyle | undefined;
  /** The last accepted state. Changes since then go into the [DELTA] section. */
  base?: Snapshot | undefined;
  /** Accepted bases, deltas since the base, and repairs since the last success. All 0 by default. */
  version?: PackVersion | undefined;
}

/** The counters of the pack's header: `ver: A=1 B=0 C=0`. */
export interface PackVersion {
  accepted: number;
  deltas: number;
  repairs: number;
}

/** One file of the pack, with the reason for its rank. */
export interface PackEntry extends RankedFile {
  level: PackLevel;
  tokens: number;
  /** True if lines, declarations or names were left out to fit. */
  isCut: boolean;
  /** The encoding if it is not UTF-8: `utf-16le`, `utf-16be` or `latin1`. */
  encoding?: string | undefined;
}

/** One section of the text. */
export interface PackSection {
  name: "CONTEXT" | "INSTRUCTION" | "DELTA";
  tokens: number;
}

/** A file that the pack does not name, and why. Files without text have no rank. */
export interface PackOmission extends Partial<Omit<RankedFile, "reason">> {
  alias: string;
  path: string;
  reason: "budget" | "cap" | "binary" | "unreadable" | "empty";
}

/** A prompt within the budget. */
export interface Pack {
  text: string;
  tokens: number;
  sections: PackSection[];
  /** Ordered by rank for the task, best first. */
  entries: PackEntry[];
  /** Ordered by rank for the task, best first. */
  omitted: PackOmission[];
  /** Words of the task that no file contains. */
  unmatched: string[];
  /** False if no file contains a word of the task. The pack is then an overview. */
  isMatched: boolean;
}
