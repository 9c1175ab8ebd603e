import { sha256Hex } from "@ccl/core";
import type { HandleKey } from "@ccl/artifact-store";
import {
  handleOfLine,
  isMatch,
  toCheckedLine,
  type DriverListOptions,
  type FoundHandle,
} from "@ccl/artifact-store/driver";
import type { RecordChange } from "@ccl/records";
import type { S3Context } from "../s3-context.ts";
import { readRecords, recordPages } from "./store-records.ts";

// handle/<handle>!<artifact>              a handle, as a checked line
// of/<artifact>/<handle>!<artifact>       refers to a handle of the artifact
// session/<hash>/<handle>!<artifact>      refers to a handle of the session

const prefixOf = ({ root }: S3Context, ...parts: string[]): string =>
  `${[root, ...parts].join("/")}/`;
// `!` sorts before every character of an id, so names sort in listing order.
const partOf = ({ handleId, artifactId }: HandleKey): string => `${handleId}!${artifactId}`;

/** Returns the name of the record that contains a handle. */
const handleName = (context: S3Context, key: HandleKey): string =>
  prefixOf(context, "handle") + partOf(key);

/** Returns the names of a handle's records, its own first. */
function namesOf(context: S3Context, handle: FoundHandle): string[] {
  const sessionId = "isDamaged" in handle ? undefined : handle.sessionId;
  const sessions = sessionId === undefined ? [] : [sessionPrefix(context, sessionId)];
  const prefixes = [prefixOf(context, "of", handle.artifactId), ...sessions];
  return [handleName(context, handle), ...prefixes.map((prefix) => prefix + partOf(handle))];
}

function sessionPrefix(context: S3Context, sessionId: string): string {
  return prefixOf(context, "session", sha256Hex(sessionId));
}

/** Creates the changes that add a handle. A damaged handle stays damaged. */
export function putHandle(context: S3Context, handle: FoundHandle): RecordChange[] {
  const line = "isDamaged" in handle ? "" : toCheckedLine(handle);
  return namesOf(context, handle).map((put, index) => ({ put, value: index === 0 ? line : null }));
}

/** Returns the handles that have no record yet. */
export async function newHandles<Handle extends HandleKey>(
  context: S3Context,
  handles: readonly Handle[],
  signal?: AbortSignal,
): Promise<Handle[]> {
  const names = handles.map((handle) => handleName(context, handle));
  const known = await readRecords(context, names, signal);
  return handles.filter((_, index) => known[index] === undefined);
}

/** Creates the changes that remove a handle. */
export function removeHandle(context: S3Context, handle: FoundHandle): RecordChange[] {
  return namesOf(context, handle).map((remove) => ({ remove }));
}

/** Returns all handles of an artifact, ordered by id. */
export async function handlesOf(
  context: S3Context,
  artifactId: string,
  signal?: AbortSignal,
): Promise<FoundHandle[]> {
  const prefix = prefixOf(context, "of", artifactId);
  return await readHandles(context, prefix, { limit: Infinity, signal });
}

/** Lists handles, ordered by id, then by artifact. */
export async function listHandles(
  context: S3Context,
  options: DriverListOptions,
): Promise<FoundHandle[]> {
  const { sessionId } = options;
  const prefix =
    sessionId === undefined ? prefixOf(context, "handle") : sessionPrefix(context, sessionId);
  return await readHandles(context, prefix, options);
}

async function readHandles(
  context: S3Context,
  prefix: string,
  { sessionId, source, after, limit, signal }: DriverListOptions,
): Promise<FoundHandle[]> {
  const found: FoundHandle[] = [];
  const range = {
    prefix,
    after: after && prefix + partOf(after),
    limit: Math.min(limit, 1_000),
    signal,
  };
  for await (const page of recordPages(context, range)) {
    const keys = page.map(({ name }) => keyOf(name));
    const names = keys.map((key) => handleName(context, key));
    const isOwn = prefix === prefixOf(context, "handle");
    const lines = isOwn ? page : await readRecords(context, names, signal);
    for (const [index, key] of keys.entries()) {
      const line = lines[index];
      const handle = line && handleOfLine(key, new TextEncoder().encode(String(line.value)));
      if (handle === undefined) continue;
      if ("isDamaged" in handle || isMatch(handle, { sessionId, source })) found.push(handle);
    }
    if (found.length >= limit) break;
  }
  return found.slice(0, limit);
}

function keyOf(name: string): HandleKey {
  const [handleId = "", artifactId = ""] = name.slice(name.lastIndexOf("/") + 1).split("!");
  return { handleId, artifactId };
}
