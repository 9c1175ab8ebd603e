import type { Clock } from "@ccl/core";
import type { ArtifactStore, StoreLimits } from "../artifact-store.ts";

/** What a rule asks of the store that it opens. */
export interface ConformanceOpenOptions {
  /** The store must take the time from here. */
  clock: Clock;
  limits?: StoreLimits | undefined;
}

/** Harm done to stored bytes behind the store's back, at an offset of the content. */
export interface Damage {
  /** `flip` changes one bit of the byte at the offset, `cut` loses that byte and all after it. */
  kind: "flip" | "cut";
  offset: number;
}

/** What a store may lack. Each is checked both ways: what is declared absent must be absent. */
interface ConformanceCapabilities {
  /** What was stored outlives the store object; needs `reopen`. True by default. */
  isDurable?: boolean | undefined;
  /** `limits` are honoured; if false, opening with limits must fail with `unsupported`. True by default. */
  hasLimits?: boolean | undefined;
  /** Stored bytes can be harmed from outside; needs `corrupt`. True by default. */
  isDamageable?: boolean | undefined;
}

/** How the kit gets at a store. */
export interface ConformanceOptions {
  /** A new, empty store for each call; the kit closes it. */
  open(options: ConformanceOpenOptions): Promise<ArtifactStore>;
  /** Closes the store and opens its place again, with these options: limits may have come, gone or changed. */
  reopen?(store: ArtifactStore, options: ConformanceOpenOptions): Promise<ArtifactStore>;
  /**
   * From now on the place of the store takes so many writes, and fails at all later ones until the kit calls `reopen`, as
   * when the process is killed at that moment. Without it nothing is said of what a crash leaves.
   */
  cutOff?(store: ArtifactStore, writes: number): Promise<void>;
  corrupt?(store: ArtifactStore, artifactId: string, damage: Damage): Promise<void>;
  capabilities?: ConformanceCapabilities | undefined;
  /** For stores whose ids are not the plain SHA-256 of the content. */
  idOf?(content: Uint8Array): string | Promise<string>;
  /** Bytes that an artifact of a few KiB takes beyond its content, as limits and collections count them. 0 by default. */
  overheadBytes?: number | undefined;
  /** Fails a rule that takes longer, opening and closing included. 60,000 by default; Infinity for none. */
  ruleTimeoutMs?: number | undefined;
}
