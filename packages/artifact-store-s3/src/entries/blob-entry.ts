import { fromCheckedLine, toCheckedLine } from "@ccl/artifact-store/driver";
import type { RecordChange, StoredRecord } from "@ccl/records";
import { handlesOf } from "./handle-entries.ts";
import type { S3Context } from "../s3-context.ts";
import { isWritten, readRecords, recordPages } from "./store-records.ts";

/** The content of a blob's record. */
interface BlobFields {
  sizeBytes: number;
  /** Name of the current copy. Empty once the blob has been freed. */
  generation: string;
  /** When a handle was last added or removed. */
  touchedAt: number;
  isQuarantined: boolean;
  handleCount: number;
}

/**
 * A blob. Every change to its handles rewrites its record, so that the version shows whether anything has changed. The
 * record of a freed blob is kept for `abandonedAfterMs`, because versions would restart at 1 after its removal.
 */
export interface BlobEntry extends BlobFields {
  artifactId: string;
  /** Version of the record. 0 if there is none. Undefined if it is damaged, which hides the copy and the handles. */
  version: number | undefined;
}

const freed: BlobFields = {
  sizeBytes: 0,
  generation: "",
  touchedAt: 0,
  isQuarantined: false,
  handleCount: 0,
};

/** Returns the name prefix of blob records. */
const entryPrefix = ({ root }: S3Context): string => `${root}/blob/`;

/** Returns the entry in a record. Without a record, returns the entry of a freed blob. */
function entryOf(artifactId: string, record: StoredRecord | undefined): BlobEntry {
  if (record === undefined) return { artifactId, version: 0, ...freed };
  const fields = fromCheckedLine<BlobFields>(new TextEncoder().encode(String(record.value)));
  if (fields !== undefined) return { artifactId, version: record.version, ...fields };
  return { artifactId, version: undefined, ...freed, isQuarantined: true, handleCount: Infinity };
}

/** Yields the entries of all blobs by id, or only those after `after`. */
export async function* entryPages(
  context: S3Context,
  { after, signal }: { after?: string | undefined; signal?: AbortSignal | undefined },
): AsyncGenerator<BlobEntry[], void> {
  const prefix = entryPrefix(context);
  const range = { prefix, after: after && prefix + after, signal };
  for await (const page of recordPages(context, range))
    yield page.map((record) => entryOf(record.name.slice(prefix.length), record));
}

/** Returns the entries of these artifacts, in the given order. */
export async function readEntries(
  context: S3Context,
  artifactIds: readonly string[],
  signal?: AbortSignal,
): Promise<BlobEntry[]> {
  const names = artifactIds.map((id) => entryPrefix(context) + id);
  const found = await readRecords(context, names, signal);
  return artifactIds.map((artifactId, index) => entryOf(artifactId, found[index]));
}

/** Returns the entry of one artifact. */
export async function readEntry(
  context: S3Context,
  artifactId: string,
  signal?: AbortSignal,
): Promise<BlobEntry> {
  const [entry] = await readEntries(context, [artifactId], signal);
  return entry ?? entryOf(artifactId, undefined);
}

/**
 * Returns the entry of an artifact that is about to change. First replaces a damaged one by one without a copy. Every
 * replacement also writes one shared record, so that no two processes replace the same entry.
 */
export async function readWritableEntry(
  context: S3Context,
  artifactId: string,
  signal?: AbortSignal,
): Promise<BlobEntry> {
  const put = `${context.root}/replaced`;
  for (;;) {
    const entry = await readEntry(context, artifactId, signal);
    if (entry.version !== undefined) return entry;
    const before = await context.records.get(put, { signal });
    const damaged = await readEntry(context, artifactId, signal);
    if (damaged.version !== undefined) continue;
    const handleCount = (await handlesOf(context, artifactId, signal)).length;
    await isWritten(context, [
      { put, value: null, expectedVersion: before?.version ?? 0 },
      putEntry(context, { ...damaged, handleCount }),
    ]);
  }
}

/** Creates a change that writes the entry if its record still has the version that was read. */
export function putEntry(
  context: S3Context,
  { artifactId, version, ...fields }: BlobEntry,
): RecordChange {
  const put = entryPrefix(context) + artifactId;
  return { put, value: toCheckedLine(fields), expectedVersion: version };
}

/** Creates a change that removes the record of a freed blob if it still has the version that was read. */
export function removeEntry(context: S3Context, { artifactId, version }: BlobEntry): RecordChange {
  return { remove: entryPrefix(context) + artifactId, expectedVersion: version };
}
