import type { HandleKey } from "@ccl/artifact-store";
import { parseGeneration, type Generation } from "../layout/generation.ts";
import { artifactIdOf } from "../layout/s3-layout.ts";

// What earlier versions kept in the bucket beside the bytes. `!` separates fields.
// refs/<artifact>/h!<handle>!<batch>!<source>!<time>!<copy>   a claim: a handle, and the copy that it names
// refs/<artifact>/d!<copy>                                    the copy was set aside
// refs/<artifact>/e!<time>!<random>                           a handle was removed at this time, which is not read
// handles/<handle>!<artifact>!<batch>!<source>                a handle, which counts once its batch is there
// batches/<batch>, sessions/, ledger, probe/

/** What lies under the prefixes of earlier versions, which this version never writes. */
export const formerPrefixes = [
  "sessions/",
  "handles/",
  "batches/",
  "ledger",
  "probe/",
  "refs/",
] as const;

/** One handle as its claim names it. */
export interface Claim extends HandleKey {
  key: string;
  /** Key of the handle's own object. */
  handleKey: string;
  /** Key of the object without which the handle does not count. Undefined if there is none. */
  batchKey: string | undefined;
  generation: Generation;
}

/** What is known of one artifact. */
export interface References {
  claims: Claim[];
  /** Names of copies that were set aside. */
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
