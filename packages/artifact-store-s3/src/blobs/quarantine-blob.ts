import { createSha256 } from "@ccl/core/hash";
import { readObject, readSpan } from "../bucket/read-object.ts";
import type { Generation } from "../layout/generation.ts";
import { blobKey, damagedKey, referencePrefix } from "../layout/s3-layout.ts";
import { listReferences } from "../handles/list-references.ts";
import type { S3Context } from "../s3-context.ts";
import { openHashes } from "./write-generation.ts";

/**
 * Marks the damaged copies of a blob. Each copy is read again first, because the damaged copy may have been repaired
 * since and the intact one must not be set aside instead.
 */
export async function quarantineBlob(context: S3Context, artifactId: string): Promise<void> {
  const { claims, damaged } = await listReferences(context, referencePrefix(artifactId));
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
  if (dataKey !== undefined) {
    const record = await readObject(context.bucket, key);
    if (record === undefined || record === "damaged") return false;
    if (openHashes(record.bytes) === undefined) return false;
  }
  const whole = createSha256();
  const span = { start: 0, end: sizeBytes };
  for await (const piece of readSpan(context.bucket, dataKey ?? key, span)) whole.update(piece);
  return whole.digestHex() === artifactId;
}
