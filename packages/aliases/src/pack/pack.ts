import type { TokenCounter } from "@ccl/core";

import type { Snapshot } from "../delta/snapshot.ts";
import type { PackStyle } from "./pack-layout.ts";
import type { RankedFile, RankOptions } from "../rank/rank-files.ts";

/**
 * How much of a file the pack shows: its original lines (`full`, `slice`), its declarations without
 * bodies (`signatures`), only the names of its declarations (`heads`), an index card, or only its
 * path (`reference`).
 */
export type PackLevel = "full" | "slice" | "signatures" | "heads" | "card" | "reference";

/** Options of `buildPack`. */
export interface PackOptions extends RankOptions {
  /** Maximum tokens of the whole text, as counted by `counter`. */
  budget: number;
  /**
   * Maximum total tokens of the files with each alias prefix. Defaults to 300 for A (decisions) and
   * 200 for P (options).
   */
  caps?: Record<string, number> | undefined;
  /** Defaults to the estimator of @ccl/core. A tenth of the budget stays free unless the counter is exact. */
  counter?: TokenCounter | undefined;
  /** If true, each line of a file starts with its line number. */
  lineNumbers?: boolean | undefined;
  /** Rules for the model, placed before the task. Ranking ignores them. */
  instructions?: string | undefined;
  /** Texts to show in full after the files, such as a diff. */
  attachments?: { title: string; text: string }[] | undefined;
  /** Defaults to `plain`. */
  style?: PackStyle | undefined;
  /** The last accepted state. Later changes are shown in the [DELTA] section. */
  base?: Snapshot | undefined;
  /** Accepted bases, deltas since the base, and repairs since the last success. All default to 0. */
  version?: PackVersion | undefined;
}

/** The counters in the pack's header: `ver: A=1 B=0 C=0`. */
export interface PackVersion {
  accepted: number;
  deltas: number;
  repairs: number;
}

/** A file in the pack, with the reason for its rank. */
export interface PackEntry extends RankedFile {
  level: PackLevel;
  tokens: number;
  /** True if lines, declarations or names were omitted to fit. */
  isCut: boolean;
  /** The encoding if it is not UTF-8: `utf-16le`, `utf-16be` or `latin1`. */
  encoding?: string | undefined;
}

/** A section of the pack's text. */
export interface PackSection {
  name: "CONTEXT" | "INSTRUCTION" | "DELTA";
  tokens: number;
}

/** A file that the pack does not name, and the reason. Files without text have no rank. */
export interface PackOmission extends Partial<Omit<RankedFile, "reason">> {
  alias: string;
  path: string;
  reason: "budget" | "cap" | "binary" | "unreadable" | "empty";
}

/** A prompt that fits the budget. */
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
