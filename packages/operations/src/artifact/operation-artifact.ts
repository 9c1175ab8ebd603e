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

/** How many previous values an artifact keeps. The oldest are dropped first. */
export interface ArtifactRetention {
  /** Defaults to 20. */
  maxItems?: number | undefined;
  /** Older values are dropped. */
  maxAgeMs?: number | undefined;
  /** Total UTF-8 bytes of all kept values as canonical JSON. */
  maxBytes?: number | undefined;
}

/** Roles that a synthetic message may have. */
export type InsertRole = Exclude<Role, "tool">;

/** How the engine adds a tagged value to each prompt. */
export interface PromptInclusion {
  /** Where the text is inserted. */
  mode: "prepend_system" | "append_system" | "after_last_user" | "at_depth";
  /** Role of the text if it becomes its own message. Defaults to `system`. */
  role?: InsertRole | undefined;
  /** For `at_depth`: 0 or less, counted from the end. */
  depth?: number | undefined;
  /** Liquid over `value` and `art`. Without a template, strings are inserted as is and other values as JSON. */
  template?: string | undefined;
  /** Longer rendered text is truncated, with a marker. */
  maxTokens?: number | undefined;
}

/** A write as an operation returns it. */
export interface ArtifactWrite {
  /** A letter or _, followed by letters, digits, _ or -. */
  tag: string;
  /** If false, the value is `run_only` and is dropped when the run ends. */
  persisted: boolean;
  /** Who sees the value. */
  usage: ArtifactUsage;
  /** `state`, `log/feed`, `lore/memory`, `intermediate`, or your own value. */
  semantics: ArtifactSemantics;
  /** Any JSON value. */
  value: unknown;
  /** Media type of a string value, such as `text/markdown`, for the application that displays it. */
  contentType?: string | undefined;
  /**
   * If true, appends the value, an item or a list of items, to the artifact's items. Keeps the newest 1,000 items, up
   * to 250,000 characters in total. Previous values are kept only if `retention` is set.
   */
  append?: boolean | undefined;
  /** For persisted artifacts only. */
  retention?: ArtifactRetention | undefined;
  /** Adds the value to later prompts without an effect. */
  inclusion?: PromptInclusion | undefined;
  /** Version that the write is based on. If a newer one is stored, the write fails with `artifact_conflict`. */
  expectedVersion?: number | undefined;
}

/** A previous value. */
export interface ArtifactVersion {
  version: number;
  runId: string;
  /** Milliseconds since the epoch. */
  writtenAt: number;
  value: unknown;
  /** The version that this one replaced. After a turn is regenerated, it may not be the one numbered just before. */
  parentVersion?: number | undefined;
}

/** The tagged state `art.<tag>`: its current and previous values. */
export interface OperationArtifact extends ArtifactVersion {
  tag: string;
  persisted: boolean;
  usage: ArtifactUsage;
  semantics: ArtifactSemantics;
  contentType?: string | undefined;
  inclusion?: PromptInclusion | undefined;
  retention?: ArtifactRetention | undefined;
  /** Previous values only, oldest first. */
  history: readonly ArtifactVersion[];
}

/** Pattern of valid tags. A tag appears in templates as `art.<tag>` and is a key of plain objects. */
export const tagPattern: RegExp = /^(?!__proto__$)[A-Za-z_][A-Za-z0-9_-]{0,99}$/;
