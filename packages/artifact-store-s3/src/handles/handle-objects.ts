import { canonicalJson } from "@ccl/core";
import { isRecord, parseJson } from "@ccl/core/json";
import { ArtifactStoreError, type ArtifactHandle } from "@ccl/artifact-store";
import { readObject } from "../bucket/read-object.ts";
import { handleKey, type HandleEntry } from "../layout/s3-layout.ts";
import type { S3Context } from "../s3-context.ts";

/** The body of a handle's object and of its claims. */
export function handleBody(handle: ArtifactHandle): Uint8Array {
  return new TextEncoder().encode(canonicalJson({ ...handle }));
}

/** The handle. Undefined if it was removed or never committed. */
export async function readHandle(
  context: S3Context,
  entry: HandleEntry,
  signal?: AbortSignal,
): Promise<ArtifactHandle | undefined> {
  return await readHandleAt(context, handleKey(entry), signal);
}

/** The handle in the body of this object. */
export async function readHandleAt(
  context: S3Context,
  key: string,
  signal?: AbortSignal,
): Promise<ArtifactHandle | undefined> {
  const object = await readObject(context.bucket, key, signal);
  if (object === undefined) return undefined;
  const handle =
    object === "damaged" ? undefined : parseJson(new TextDecoder().decode(object.bytes));
  if (isHandle(handle)) return handle;
  throw new ArtifactStoreError(
    "corrupt",
    `The object "${context.bucket.prefix}${key}" holds no handle; it was damaged.`,
  );
}

function isHandle(value: unknown): value is ArtifactHandle {
  if (!isRecord(value)) return false;
  const hasType = (names: string[], type: string): boolean =>
    names.every((name) => typeof value[name] === type);
  return (
    hasType(["handleId", "artifactId", "summary", "mimeType", "source"], "string") &&
    hasType(["sizeBytes", "createdAt"], "number") &&
    ["string", "undefined"].includes(typeof value["sessionId"])
  );
}
