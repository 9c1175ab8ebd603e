import { chunkBytes, type StoredBlob } from "@ccl/artifact-store/driver";
import { readObject, readSpan } from "../bucket/read-object.ts";
import type { Generation } from "../layout/generation.ts";
import { isVisible } from "../handles/is-visible.ts";
import { blobKey, parseReferences, referencePrefix } from "../layout/s3-layout.ts";
import type { S3Context } from "../s3-context.ts";
import { openHashes } from "./write-generation.ts";

const maxLooks = 3;
const pageKeys = 200;

/**
 * Finds the copy that a handle of the artifact names, preferably one that was not set aside. A collection may remove a
 * copy between the listing and the read. Another listing then shows whether a handle is left.
 */
export async function findBlob(
  context: S3Context,
  artifactId: string,
  signal?: AbortSignal,
): Promise<StoredBlob | undefined> {
  for (let look = 0; look < maxLooks; look += 1) {
    const seen = await lookOnce(context, artifactId, signal);
    if (seen !== "gone") return seen;
  }
  return undefined;
}

async function lookOnce(
  context: S3Context,
  artifactId: string,
  signal?: AbortSignal,
): Promise<StoredBlob | "gone" | undefined> {
  let outcome: "gone" | undefined;
  let damaged: StoredBlob | undefined;
  const tried = new Set<string>();
  for await (const page of context.bucket.listPages(referencePrefix(artifactId), {
    pageKeys,
    signal,
  })) {
    const listing = parseReferences(page);
    // Newest copies first, since a repair writes a newer copy than the damaged one.
    const claims = listing.claims.toSorted((a, b) =>
      a.generation.name < b.generation.name ? 1 : -1,
    );
    for (const claim of claims) {
      const { generation } = claim;
      if (tried.has(generation.name)) continue;
      const isQuarantined = listing.damaged.has(generation.name);
      const [isCounted, blob] = await Promise.all([
        isVisible(context, claim, signal),
        openGeneration(context, { artifactId, generation, isQuarantined, signal }),
      ]);
      if (!isCounted) continue;
      tried.add(generation.name);
      if (blob === undefined) outcome = "gone";
      else if (!blob.isQuarantined) return blob;
      else damaged ??= blob;
    }
  }
  return damaged ?? outcome;
}

interface OpenedGeneration {
  artifactId: string;
  generation: Generation;
  isQuarantined: boolean;
  signal?: AbortSignal | undefined;
}

/** Opens a copy as it is stored. Undefined if its object is gone. */
async function openGeneration(
  context: S3Context,
  options: OpenedGeneration,
): Promise<StoredBlob | undefined> {
  const { artifactId, generation, isQuarantined, signal } = options;
  const { sizeBytes, dataKey } = generation;
  const key = blobKey(artifactId, generation.name);
  const object = await readObject(context.bucket, key, signal);
  if (object === undefined) return undefined;
  const read = (bytesKey: string) => (firstChunk: number, endChunk: number) =>
    readSpan(context.bucket, bytesKey, {
      start: firstChunk * chunkBytes,
      end: Math.min(sizeBytes, endChunk * chunkBytes),
      signal,
    });
  if (dataKey === undefined) {
    const record = { artifactId, sizeBytes, chunkHashes: new Uint8Array() };
    if (object === "damaged") return { record, isQuarantined: true, read: read(key) };
    return { record, isQuarantined, bytes: object.bytes, read: read(key) };
  }
  const chunkHashes = object === "damaged" ? undefined : openHashes(object.bytes);
  const record = { artifactId, sizeBytes, chunkHashes: chunkHashes ?? new Uint8Array() };
  return { record, isQuarantined: isQuarantined || chunkHashes === undefined, read: read(dataKey) };
}
