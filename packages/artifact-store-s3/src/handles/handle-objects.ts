import { canonicalJson } from "@ccl/core";
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
  const handle = object === "damaged" ? undefined : parseHandle(object.bytes);
  if (handle !== undefined) return handle;
  throw new ArtifactStoreError(
    "corrupt",
    `The object "${context.bucket.prefix}${key}" holds no handle; it was damaged.`,
  );
}

function parseHandle(bytes: Uint8Array): ArtifactHandle | undefined {
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder().decode(bytes));
  } catch {
    return undefined;
  }
  return isHandle(value) ? value : undefined;
}

function isHandle(value: unknown): value is ArtifactHandle {
  if (typeof value !== "object" || value === null) return false;
  const fields = new Map(Object.entries(value));
  const areTexts = ["handleId", "artifactId", "summary", "mimeType", "source"].every(
    (name) => typeof fields.get(name) === "string",
  );
  const areNumbers = ["sizeBytes", "createdAt"].every(
    (name) => typeof fields.get(name) === "number",
  );
  return areTexts && areNumbers && ["string", "undefined"].includes(typeof fields.get("sessionId"));
}
