import type { Clock } from "@ccl/core";
import type { ArtifactHandle, ArtifactStore, StoreLimits } from "../artifact-store.ts";

/** Options that a rule passes to the store that it opens. */
export interface ConformanceOpenOptions {
  /** The store must read the time from this clock. */
  clock: Clock;
  limits?: StoreLimits | undefined;
}

/** Damage to stored bytes at an offset of the content, done without using the store. */
export interface Damage {
  /** `flip` inverts one bit of the byte at the offset. `cut` removes that byte and everything after it. */
  kind: "flip" | "cut";
  offset: number;
}

/** Capabilities that a store may lack. The rules check that a capability declared absent is really absent. */
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
  /** Opens a new, empty store on each call. The kit closes it. */
  open(options: ConformanceOpenOptions): Promise<ArtifactStore>;
  /** Closes the store and opens the same data again with these options. The limits may differ from before. */
  reopen?(store: ArtifactStore, options: ConformanceOpenOptions): Promise<ArtifactStore>;
  /**
   * Lets this many more writes succeed, then makes all others fail until the kit calls `reopen`, as if the process were
   * killed. Without it, the kit does not test crashes.
   */
  cutOff?(store: ArtifactStore, writes: number): Promise<void>;
  corrupt?(store: ArtifactStore, artifactId: string, damage: Damage): Promise<void>;
  /**
   * Changes one letter in the summary of a stored handle, without using the store. If absent, the kit damages no
   * handles.
   */
  corruptHandle?(store: ArtifactStore, handle: ArtifactHandle): Promise<void>;
  capabilities?: ConformanceCapabilities | undefined;
  /** Computes an artifact's id, for stores whose ids are not the SHA-256 of the plain content. */
  idOf?(content: Uint8Array): string | Promise<string>;
  /**
   * Bytes that an artifact of a few KiB occupies beyond its content, as limits and collections count them. 0 by
   * default.
   */
  overheadBytes?: number | undefined;
  /** Time limit of a rule in milliseconds, including opening and closing. 60,000 by default. `Infinity` disables it. */
  ruleTimeoutMs?: number | undefined;
}
