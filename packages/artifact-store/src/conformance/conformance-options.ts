import type { Clock } from "@ccl/core";
import type { ArtifactHandle, ArtifactStore, StoreLimits } from "../artifact-store.ts";

/** Options that a rule passes to the store that it opens. */
export interface ConformanceOpenOptions {
  /** The store must read the time from this clock. */
  clock: Clock;
  limits?: StoreLimits | undefined;
}

/** Damage to stored bytes, made without the store, at an offset of the content. */
export interface Damage {
  /** `flip` inverts one bit of the byte at the offset. `cut` removes that byte and everything after it. */
  kind: "flip" | "cut";
  offset: number;
}

/** Capabilities that a store may lack. A capability that is declared absent is checked to be absent. */
interface ConformanceCapabilities {
  /** Stored artifacts survive closing the store. Needs `reopen`. True by default. */
  isDurable?: boolean | undefined;
  /** The store enforces `limits`. If false, opening with limits must fail with `unsupported`. True by default. */
  hasLimits?: boolean | undefined;
  /** The kit can damage stored bytes. Needs `corrupt`. True by default. */
  isDamageable?: boolean | undefined;
}

/** How the kit opens and manipulates a store. */
export interface ConformanceOptions {
  /** Opens a new, empty store for each call. The kit closes it. */
  open(options: ConformanceOpenOptions): Promise<ArtifactStore>;
  /** Closes the store and opens the same place again with these options. The limits may differ from before. */
  reopen?(store: ArtifactStore, options: ConformanceOpenOptions): Promise<ArtifactStore>;
  /**
   * Lets the store's place accept this many more writes and fail all later ones until the kit calls `reopen`, as if the
   * process were killed at that moment. Without it the kit does not test crashes.
   */
  cutOff?(store: ArtifactStore, writes: number): Promise<void>;
  corrupt?(store: ArtifactStore, artifactId: string, damage: Damage): Promise<void>;
  /** Changes one letter of the summary of a stored handle, without the store. Without it the kit damages no handles. */
  corruptHandle?(store: ArtifactStore, handle: ArtifactHandle): Promise<void>;
  capabilities?: ConformanceCapabilities | undefined;
  /** For stores whose ids are not the SHA-256 of the plain content. */
  idOf?(content: Uint8Array): string | Promise<string>;
  /**
   * Bytes that an artifact of a few KiB occupies beyond its content, as limits and collections count them. 0 by
   * default.
   */
  overheadBytes?: number | undefined;
  /** A rule that takes longer fails, including opening and closing. 60,000 by default. `Infinity` sets no limit. */
  ruleTimeoutMs?: number | undefined;
}
