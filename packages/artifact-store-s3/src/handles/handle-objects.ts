import type { HandleKey } from "@ccl/artifact-store";
import {
  damagedHandle,
  handleOfLine,
  toCheckedLine,
  type FoundHandle,
} from "@ccl/artifact-store/driver";
import { readObject } from "../bucket/read-object.ts";
import { handleKey, type HandleEntry } from "../layout/s3-layout.ts";
import type { S3Context } from "../s3-context.ts";

/** The body of a handle's object and of its claims. */
export function handleBody(handle: FoundHandle): Uint8Array {
  return new TextEncoder().encode(toCheckedLine(handle));
}

/** The handle. Undefined if it was removed or never committed. */
export async function readHandle(
  context: S3Context,
  entry: HandleEntry,
  signal?: AbortSignal,
): Promise<FoundHandle | undefined> {
  return await readHandleAt(context, { name: entry, key: handleKey(entry) }, signal);
}

/** The handle of this name in the body of an object. */
export async function readHandleAt(
  context: S3Context,
  { name, key }: { name: HandleKey; key: string },
  signal?: AbortSignal,
): Promise<FoundHandle | undefined> {
  const object = await readObject(context.bucket, key, signal);
  if (object === "damaged") return damagedHandle(name);
  return object && handleOfLine(name, object.bytes);
}
