import type { TokenCounter } from "@ccl/core";

import type { Snapshot } from "../delta/snapshot.ts";
import type { AliasRegistry } from "../registry/alias-registry.ts";

/** How much of a file stands in the pack, from its whole text down to its name and hash. */
export type PackLevel = "full" | "signatures" | "heads" | "card" | "reference";

/** What to pack, for what, and how much of it. */
export interface PackOptions {
  registry: AliasRegistry;
  /** What the model is to do, in the user's words. */
  task: string;
  /** In tokens of `counter`; the whole text stays within it. */
  budget: number;
  /** Maximum tokens a file may take, by alias prefix. Default: A (decisions) 300, P (options) 200, the rest by share of the budget. */
  caps?: Record<string, number> | undefined;
  /** Default: the estimator of @ccl/core, under which a safety margin is kept. */
  counter?: TokenCounter | CounterSource | undefined;
  /** Share of the budget left free under an inexact counter. Default 0.1. */
  safetyMargin?: number | undefined;
  /** Alias of the profile that the model is to follow. Default: the only `PR` alias, if there is one. */
  profile?: string | undefined;
  /** Long term to short term; used where the saving is larger than the legend that explains it. */
  vocabulary?: Record<string, string> | undefined;
  /** Aliases or paths that the work is about; their neighbours in the import graph are ranked up. */
  focus?: string[] | undefined;
  /** The last accepted state; what changed since goes into the [DELTA] section. */
  base?: Snapshot | undefined;
  /** Accepted bases, deltas since the base, repairs since the last success. Default 0, 0, 0. */
  version?: PackVersion | undefined;
  signal?: AbortSignal | undefined;
  onEvent?: ((event: PackEvent) => void) | undefined;
}

/**
 * A counter that is opened only when something has to be counted. Where the registry keeps a cache, the pack of the
 * same tree and options is taken from it without counting: the name must stand for one way of counting.
 */
export interface CounterSource {
  name: string;
  isExact: boolean;
  open(): Promise<TokenCounter>;
}

/** The counters of the pack's header: `ver: A=1 B=0 C=0`. */
export interface PackVersion {
  accepted: number;
  deltas: number;
  repairs: number;
}

/** Progress of a pack. */
export interface PackEvent {
  type: "files_read" | "files_outlined" | "fitted";
  done: number;
  total: number;
}

/** One file of the pack. */
export interface PackEntry {
  alias: string;
  path: string;
  level: PackLevel;
  sha8: string;
  tokens: number;
  /** Declarations were left out to fit, and the text says which lines. */
  isCut: boolean;
}

/** One section of the text. */
export interface PackSection {
  name: "CONTEXT" | "INSTRUCTION" | "DELTA";
  tokens: number;
}

/** A file that the pack does not name, and why. */
export interface PackOmission {
  alias: string;
  path: string;
  reason: "budget" | "cap" | "binary" | "unreadable" | "empty";
}

/** A prompt within budget. */
export interface Pack {
  text: string;
  tokens: number;
  sections: PackSection[];
  /** In the order of the text. */
  entries: PackEntry[];
  /** Ordered by rank for the task, best first. */
  omitted: PackOmission[];
}
