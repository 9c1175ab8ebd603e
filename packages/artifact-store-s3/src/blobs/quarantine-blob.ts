import { createHash } from "node:crypto";
import { chunkBytes } from "@ccl/artifact-store/driver";
import { readObject, readSpan } from "../bucket/read-object.ts";
import type { Generation } from "../layout/generation.ts";
import { blobKey, damagedKey, parseReferences, referencePrefix } from "../layout/s3-layout.ts";
import type { S3Context } from "../s3-context.ts";
import { openHashes } from "./write-generation.ts";

/**
 * Marks the damaged copies of a blob. Each one is read again first: the copy in which the damage was found may have been
 * mended meanwhile, and the sound one must not be set aside in its place.
 */
export async function quarantineBlob(context: S3Context, artifactId: string): Promise<void> {
  const keys = await context.bucket.listAll(referencePrefix(artifactId));
  const { claims, damaged } = parseReferences(keys.map(({ key }) => key));
  const generations = new Map(claims.map(({ generation }) => [generation.name, generation]));
  for (const generation of generations.values()) {
    if (damaged.has(generation.name) || (await isSound(context, artifactId, generation))) continue;
    await context.bucket.put(damagedKey(artifactId, generation.name), new Uint8Array());
  }
}

async function isSound(
  context: S3Context,
  artifactId: string,
  generation: Generation,
): Promise<boolean> {
  const { sizeBytes, dataKey } = generation;
  const key = blobKey(artifactId, generation.name);
  if ((await context.bucket.sizeOf(dataKey ?? key)) !== sizeBytes) return false;
  const record = dataKey === undefined ? undefined : await readObject(context.bucket, key);
  const expected =
    record === undefined || record === "damaged" ? undefined : openHashes(record.bytes);
  if (dataKey !== undefined && expected === undefined) return false;
  const whole = createHash("sha256");
  let chunk = createHash("sha256");
  let at = 0;
  const endChunk = (): boolean => {
    const start = (Math.ceil(at / chunkBytes) - 1) * 32;
    const isRight =
      expected === undefined || chunk.digest().equals(expected.subarray(start, start + 32));
    chunk = createHash("sha256");
    return isRight;
  };
  for await (const piece of readSpan(context.bucket, dataKey ?? key, {
    start: 0,
    end: sizeBytes,
  })) {
    whole.update(piece);
    for (let from = 0; from < piece.byteLength;) {
      const taken = piece.subarray(from, from + chunkBytes - (at % chunkBytes));
      chunk.update(taken);
      from += taken.byteLength;
      at += taken.byteLength;
      if ((at % chunkBytes === 0 || at === sizeBytes) && !endChunk()) return false;
    }
  }
  return whole.digest("hex") === artifactId;
}
