import { fromBase64, toBase64 } from "@ccl/core/json";

import type { BlobRecord } from "../artifact-driver.ts";
import type { HandleKey } from "../artifact-store.ts";
import { fromCheckedLine, toCheckedLine } from "../driver/checked-line.ts";
import type { KeyValueDatabase } from "./key-value-database.ts";

// blob/<artifact>              an entry, as a checked line
// data/<place>/<chunk>         bytes; each place is written only once
// handle/<handle>!<artifact>   a whole handle, as a checked line; it counts only if the entry lists it
// batch/<batch>                its presence makes the handles of this batch count

/** The value of a blob's key. It is written in one call, and the change takes effect at that moment. */
export interface BlobEntry {
  sizeBytes: number;
  /** Base64. */
  chunkHashes: string;
  place: string;
  touchedAt: number;
  isQuarantined: boolean;
  /** Handles by id. If a batch is given, the handle counts only once that batch exists. */
  handles: [handleId: string, batch?: string][];
}

/** Returns the key of an entry. */
export const entryKey = (artifactId: string): string => `blob/${artifactId}`;

/** Returns the key of a chunk. */
export const chunkKey = (place: string, index: number): string => `data/${place}/${index}`;

/** Returns the key whose presence makes the handles of a batch count. */
export const batchKey = (batch: string): string => `batch/${batch}`;

/** Returns the key of a handle. `!` sorts before every character of an id, so keys sort in listing order. */
export const handleKey = (handleId: string, artifactId: string): string =>
  `handle/${handleId}!${artifactId}`;

/** Returns the part of a key after its last slash. */
export const lastPart = (key: string): string => key.slice(key.lastIndexOf("/") + 1);

/** Parses the ids in a handle's key. */
export function idsOfHandleKey(key: string): HandleKey {
  const [handleId = "", artifactId = ""] = lastPart(key).split("!");
  return { handleId, artifactId };
}

/** Encodes a checked line. */
export const toBytes = (value: object): Uint8Array =>
  new TextEncoder().encode(toCheckedLine(value));

/** Returns all keys with a prefix, sorted. */
export async function sortedKeys(database: KeyValueDatabase, prefix: string): Promise<string[]> {
  const keys: string[] = [];
  for await (const key of await database.keys(prefix)) keys.push(key);
  return keys.sort();
}

/** Creates an entry without handles. */
export function newEntry(record: BlobRecord, place: string): BlobEntry {
  const { sizeBytes, chunkHashes } = record;
  const hashes = toBase64(chunkHashes);
  return { sizeBytes, chunkHashes: hashes, place, touchedAt: 0, isQuarantined: false, handles: [] };
}

/** Returns the blob record of an entry. */
export function recordOf(artifactId: string, { sizeBytes, chunkHashes }: BlobEntry): BlobRecord {
  return { artifactId, sizeBytes, chunkHashes: fromBase64(chunkHashes) ?? new Uint8Array() };
}

/** Returns the entry of a blob with the handles that count. Undefined if there is none. */
export async function readEntry(
  database: KeyValueDatabase,
  artifactId: string,
): Promise<BlobEntry | undefined> {
  const entry = await readOnce(database, artifactId);
  if (entry === undefined || !entry.handles.some(([, batch]) => batch !== undefined)) return entry;
  const settled = await withHandlesThatCount(database, entry);
  if (settled.handles.length === entry.handles.length) return settled;
  // The batch may have been committed, and its key removed, between the two reads.
  const again = await readOnce(database, artifactId);
  return again && withHandlesThatCount(database, again);
}

/** Reads an entry. If it is damaged, returns one without bytes and with all existing handles. */
async function readOnce(
  database: KeyValueDatabase,
  artifactId: string,
): Promise<BlobEntry | undefined> {
  const bytes = await database.get(entryKey(artifactId));
  if (bytes === undefined || bytes === null) return undefined;
  const entry = fromCheckedLine<BlobEntry>(new Uint8Array(bytes));
  if (entry !== undefined) return entry;
  const names = (await sortedKeys(database, "handle/")).map(idsOfHandleKey);
  const own = names.filter((name) => name.artifactId === artifactId);
  const lost = newEntry({ artifactId, sizeBytes: 0, chunkHashes: new Uint8Array() }, "");
  const handles = own.map(({ handleId }): [string] => [handleId]);
  return { ...lost, isQuarantined: true, handles };
}

async function withHandlesThatCount(
  database: KeyValueDatabase,
  entry: BlobEntry,
): Promise<BlobEntry> {
  const handles: BlobEntry["handles"] = [];
  for (const [handleId, batch] of entry.handles) {
    const key = batch === undefined ? undefined : await database.get(batchKey(batch));
    if (batch === undefined || (key !== undefined && key !== null)) handles.push([handleId]);
  }
  return { ...entry, handles };
}
