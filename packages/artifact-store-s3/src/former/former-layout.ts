import type { HandleKey } from "@ccl/artifact-store";
import { parseGeneration, type Generation } from "../layout/generation.ts";
import { artifactIdOf } from "../layout/s3-layout.ts";

// What earlier versions stored in the bucket next to the bytes. `!` separates fields.
// refs/<artifact>/h!<handle>!<batch>!<source>!<time>!<copy>   a claim: a handle, and the copy that it refers to
// refs/<artifact>/d!<copy>                                    the copy was quarantined
// refs/<artifact>/e!<time>!<random>                           a handle was removed at this time, which is not read
// handles/<handle>!<artifact>!<batch>!<source>                a handle, which counts once its batch exists
// batches/<batch>, sessions/, ledger, probe/

/** Prefixes of earlier versions. This version never writes to them. */
export const formerPrefixes = [
  "sessions/",
  "handles/",
  "batches/",
  "ledger",
  "probe/",
  "refs/",
] as const;

/** A handle, as identified by its claim. */
export interface Claim extends HandleKey {
  key: string;
  /** Key of the handle's own object. */
  handleKey: string;
  /** Key of the object without which the handle does not count. Undefined if there is none. */
  batchKey: string | undefined;
  generation: Generation;
}

/** What earlier versions stored about one artifact. */
export interface References {
  claims: Claim[];
  /** Names of quarantined copies. */
  damaged: Set<string>;
}

/** Sorts the keys below `refs/<artifact>/`. Ignores keys of another form. */
export function parseReferences(keys: readonly string[]): References {
  const references: References = { claims: [], damaged: new Set() };
  for (const key of keys) {
    const [kind, first = "", batch = "", source = "", , name = ""] = (
      key.split("/")[2] ?? ""
    ).split("!");
    if (kind === "d") references.damaged.add(first);
    const generation = kind === "h" ? parseGeneration(name) : undefined;
    if (generation === undefined) continue;
    const artifactId = artifactIdOf(key);
    const handleKey = `handles/${first}!${artifactId}!${batch}!${source}`;
    const batchKey = batch === "-" ? undefined : `batches/${batch}`;
    references.claims.push({ key, handleId: first, artifactId, handleKey, batchKey, generation });
  }
  return references;
}
