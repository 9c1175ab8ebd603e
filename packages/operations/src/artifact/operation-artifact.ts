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

/** How many former values an artifact keeps. The oldest are dropped first. */
export interface ArtifactRetention {
  /** Default 20. */
  maxItems?: number | undefined;
  /** Older values are dropped. */
  maxAgeMs?: number | undefined;
  /** UTF-8 bytes of the canonical JSON of all kept values together. */
  maxBytes?: number | undefined;
}

/** Roles that a synthetic message may have. */
export type InsertRole = Exclude<Role, "tool">;

/** How the engine adds a tagged value to each prompt. */
export interface PromptInclusion {
  /** Where the text is inserted. */
  mode: "prepend_system" | "append_system" | "after_last_user" | "at_depth";
  /** Role of the text if it becomes a message of its own. `system` by default. */
  role?: InsertRole | undefined;
  /** For `at_depth`: 0 or less, counted from the end. */
  depth?: number | undefined;
  /** Liquid over `value` and `art`. Without a template a text is inserted as it is, any other value as JSON. */
  template?: string | undefined;
  /** Longer rendered text is cut, with a truncation marker. */
  maxTokens?: number | undefined;
}

/** A write as an operation returns it. */
export interface ArtifactWrite {
  /** A letter or _, followed by letters, digits, _ or -. */
  tag: string;
  /** False: the value is `run_only` and is dropped when the run ends. */
  persisted: boolean;
  /** Who sees it. */
  usage: ArtifactUsage;
  /** `state`, `log/feed`, `lore/memory`, `intermediate`, or your own word. */
  semantics: ArtifactSemantics;
  /** Any JSON value. */
  value: unknown;
  /** Media type of a text value, such as `text/markdown`, for the application that shows it. */
  contentType?: string | undefined;
  /**
   * True: the value, an item or a list of items, is appended to the items that the artifact holds. The newest 1,000
   * items stay, of up to 250,000 characters together. Former values are kept only if `retention` says so.
   */
  append?: boolean | undefined;
  /** For persisted artifacts only. */
  retention?: ArtifactRetention | undefined;
  /** Adds the value to later prompts without an effect. */
  inclusion?: PromptInclusion | undefined;
  /** The version that the write is based on. If a newer one is stored, the write fails with `artifact_conflict`. */
  expectedVersion?: number | undefined;
}

/** A former value. */
export interface ArtifactVersion {
  version: number;
  runId: string;
  /** Milliseconds since the epoch. */
  writtenAt: number;
  value: unknown;
  /** The version that it replaced. After a turn was generated again, this may not be the version before it. */
  parentVersion?: number | undefined;
}

/** The tagged state `art.<tag>`: its current value and its former ones. */
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
