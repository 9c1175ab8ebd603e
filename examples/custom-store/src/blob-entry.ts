import type { ArtifactHandle } from "@ccl/artifact-store";
import type { HandleKey } from "@ccl/artifact-store/driver";

import type { Transaction } from "./transaction.ts";

// What lies in the database:
// blob/<artifact>               an entry; its `revision` makes every change of the blob or of its handles a change here
// data/<place>/<chunk>          the bytes, written once; data/<place>/hashes: the chunk hashes, if there are any
// handle/<handle> <artifact>    a handle, and a mark; the space comes before every character of an id
// of/<artifact>/<handle>        a mark: the handles of an artifact
// in/<session>/<handle>, from/<source>/<handle>   marks: the handles of a session and of a source
// named/<artifact>, free/<artifact>               marks: blobs with handles and without
// uses/<session>/<artifact>     how many handles of the artifact the session has
// used/<session>, total         counters: bytes of a session's different blobs, bytes of all blobs

/** A blob as the database knows it. */
export interface BlobEntry {
  sizeBytes: number;
  /** Where the bytes are. */
  place: string;
  pieceCount: number;
  /** Whether chunk hashes lie there, too. */
  hasHashes: boolean;
  handleCount: number;
  /** The last commit, mending or removal of a handle, by the store's clock. */
  touchedAt: number;
  isQuarantined: boolean;
  revision: number;
}

/** The name of an entry. */
export const blobName = (artifactId: string): string => `blob/${artifactId}`;

/** The name of a chunk, or of the chunk hashes of a place. */
export const pieceName = (place: string, piece: number | "hashes"): string =>
  `data/${place}/${piece}`;

/** The names of all pieces of a place. */
export function pieceNames(place: string, pieceCount: number): string[] {
  const chunks = Array.from({ length: pieceCount }, (_, index) => pieceName(place, index));
  return [...chunks, pieceName(place, "hashes")];
}

/** The end of the names that list a handle. */
export const handleKey = ({ handleId, artifactId }: HandleKey): string =>
  `${handleId} ${artifactId}`;

/** The name of a handle's value. */
export const handleName = (handle: HandleKey): string => `handle/${handleKey(handle)}`;

/** Where the marks of a session's handles begin. */
export const sessionPrefix = (sessionId: string): string => `in/${encodeURIComponent(sessionId)}/`;

/** Where the marks of a source's handles begin. */
export const sourcePrefix = (source: string): string => `from/${encodeURIComponent(source)}/`;

/** The name of the counter of a session's bytes. */
export const usedName = (sessionId: string): string => `used/${encodeURIComponent(sessionId)}`;

/** The name of the number of handles that a session has of an artifact. */
export const usesName = (sessionId: string, artifactId: string): string =>
  `uses/${encodeURIComponent(sessionId)}/${artifactId}`;

/** Writes an entry in the place of the one that was read. */
export function setBlob(transaction: Transaction, artifactId: string, entry: BlobEntry): void {
  transaction.set(blobName(artifactId), { ...entry, revision: entry.revision + 1 });
  const [mark, other] = entry.handleCount > 0 ? ["named", "free"] : ["free", "named"];
  transaction.mark(`${mark}/${artifactId}`);
  transaction.remove(`${other}/${artifactId}`);
}

/** Removes a blob with its bytes. */
export function freeBlob(transaction: Transaction, artifactId: string, entry: BlobEntry): void {
  transaction.remove(blobName(artifactId), `named/${artifactId}`, `free/${artifactId}`);
  transaction.dropPieces(pieceNames(entry.place, entry.pieceCount));
  transaction.add("total", -entry.sizeBytes);
}

/** Adds a handle of a blob, unless it is there; the entry with its count. */
export async function addHandle(
  transaction: Transaction,
  handle: ArtifactHandle,
  entry: BlobEntry,
): Promise<BlobEntry> {
  if ((await transaction.get(handleName(handle))) !== undefined) return entry;
  transaction.set(handleName(handle), handle);
  for (const name of marksOf(handle)) transaction.mark(name);
  await countUse(transaction, handle, { sizeBytes: entry.sizeBytes, change: 1 });
  return { ...entry, handleCount: entry.handleCount + 1 };
}

/** Removes a handle that is there; the entry with its count. */
export async function removeHandle(
  transaction: Transaction,
  handle: ArtifactHandle,
  entry: BlobEntry,
): Promise<BlobEntry> {
  transaction.remove(...marksOf(handle));
  await countUse(transaction, handle, { sizeBytes: entry.sizeBytes, change: -1 });
  return { ...entry, handleCount: entry.handleCount - 1 };
}

function marksOf(handle: ArtifactHandle): string[] {
  const { handleId, artifactId, source, sessionId } = handle;
  const key = handleKey(handle);
  const marks = [handleName(handle), `of/${artifactId}/${handleId}`, sourcePrefix(source) + key];
  return sessionId === undefined ? marks : [...marks, sessionPrefix(sessionId) + key];
}

async function countUse(
  transaction: Transaction,
  { sessionId, artifactId }: ArtifactHandle,
  { sizeBytes, change }: { sizeBytes: number; change: 1 | -1 },
): Promise<void> {
  if (sessionId === undefined) return;
  const name = usesName(sessionId, artifactId);
  const before = (await transaction.get<number>(name)) ?? 0;
  const after = before + change;
  if (after === 0) transaction.remove(name);
  else transaction.set(name, after);
  if (before === 0 || after === 0) transaction.add(usedName(sessionId), sizeBytes * change);
}
