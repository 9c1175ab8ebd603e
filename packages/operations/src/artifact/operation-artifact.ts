import type { Role } from "@ccl/core";

/** Who sees a tagged value. */
export type ArtifactUsage = "prompt_only" | "ui_only" | "prompt+ui" | "internal";

/** What a tagged value means. */
export type ArtifactSemantics =
  | "state"
  | "log/feed"
  | "lore/memory"
  | "intermediate"
  | (string & {});

/** How many former values are kept, newest last. */
export interface ArtifactRetention {
  /** Default 20. */
  maxItems?: number | undefined;
  /** Older ones go. */
  maxAgeMs?: number | undefined;
  /** Canonical JSON of all kept values together, in UTF-8 bytes. */
  maxBytes?: number | undefined;
}

/** Roles that a synthetic message may have. */
export type InsertRole = Exclude<Role, "tool">;

/** How a tagged value gets into the prompt by itself. */
export interface PromptInclusion {
  /** Where it stands. */
  mode: "prepend_system" | "append_system" | "after_last_user" | "at_depth";
  /** Of a message of its own; default `system`. */
  role?: InsertRole | undefined;
  /** Of `at_depth`: 0 or less, counted from the end. */
  depth?: number | undefined;
  /** Liquid over `value` and `art`; the value's text where absent, JSON for what is no text. */
  template?: string | undefined;
  /** The rendered text is cut to it with a mark. */
  maxTokens?: number | undefined;
}

/** A write as an operation gives it. */
export interface ArtifactWrite {
  /** A letter or _, then letters, digits, _ or -. */
  tag: string;
  /** False: `run_only`, gone with the run. */
  persisted: boolean;
  /** Who sees it. */
  usage: ArtifactUsage;
  /** `state`, `log/feed`, `lore/memory`, `intermediate`, or a word of yours. */
  semantics: ArtifactSemantics;
  /** JSON. */
  value: unknown;
  /** What a text value is written in, like `text/markdown`; for who shows it. */
  contentType?: string | undefined;
  /**
   * True: the value is an item, or a list of items, behind those that the artifact holds. The newest 1,000 items stay, of at most
   * 250,000 characters together, and no former value unless `retention` says so.
   */
  append?: boolean | undefined;
  /** Of persisted ones only. */
  retention?: ArtifactRetention | undefined;
  /** Puts it into later prompts by itself. */
  inclusion?: PromptInclusion | undefined;
  /** The version that it is based on: a newer one is `artifact_conflict`. */
  expectedVersion?: number | undefined;
}

/** A former value. */
export interface ArtifactVersion {
  version: number;
  runId: string;
  /** Milliseconds since the epoch. */
  writtenAt: number;
  value: unknown;
  /** The version that it replaced; another than the one before it where a turn was generated again. */
  parentVersion?: number | undefined;
}

/** The tagged state `art.<tag>`: what it holds now and what it held. */
export interface OperationArtifact extends ArtifactVersion {
  tag: string;
  persisted: boolean;
  usage: ArtifactUsage;
  semantics: ArtifactSemantics;
  contentType?: string | undefined;
  inclusion?: PromptInclusion | undefined;
  retention?: ArtifactRetention | undefined;
  /** Former values only, oldest first. */
  history: readonly ArtifactVersion[];
}
