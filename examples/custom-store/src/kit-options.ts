import { type ArtifactStore, createMemoryArtifactStore, withEncryption } from "@ccl/artifact-store";
import type {
  ConformanceOpenOptions,
  ConformanceOptions,
  Damage,
} from "@ccl/artifact-store/conformance";
import { chunkBytes } from "@ccl/artifact-store/driver";

import { type BlobEntry, blobName, pieceName } from "./blob-entry.ts";
import type { Database } from "./database.ts";
import type { Place } from "./open-place.ts";

/** How the conformance kit gets at stores of the place; with a key, at encrypted ones. */
export function createKitOptions(place: Place, key?: Uint8Array): ConformanceOptions {
  const parts = new WeakMap<ArtifactStore, string>();
  let count = 0;
  const open = async (part: string, options: ConformanceOpenOptions): Promise<ArtifactStore> => {
    const plain = await place.open(part, options);
    const store = key === undefined ? plain : withEncryption(plain, { key, clock: options.clock });
    parts.set(store, part);
    return store;
  };
  const partOf = (store: ArtifactStore): string => parts.get(store) ?? "";
  const kit: ConformanceOptions = {
    open: (options) =>
      open(`${key === undefined ? "plain" : "encrypted"}-${(count += 1)}`, options),
    reopen: async (store, options) => {
      await store.close();
      return open(partOf(store), options);
    },
    corrupt: (store, artifactId, damage) => harm(place.database(partOf(store)), artifactId, damage),
  };
  return key === undefined
    ? kit
    : { ...kit, overheadBytes: 64, idOf: (content) => encryptedId(content, key) };
}

async function harm(
  database: Database,
  artifactId: string,
  { kind, offset }: Damage,
): Promise<void> {
  const [text] = await database.get([blobName(artifactId)]);
  if (text === undefined) throw new Error(`No blob ${artifactId} to harm`);
  const { place, pieceCount }: BlobEntry = JSON.parse(text);
  const index = Math.floor(offset / chunkBytes);
  const piece = await database.getPiece(pieceName(place, index));
  if (piece === undefined) throw new Error(`No byte ${offset} to harm`);
  const position = offset % chunkBytes;
  if (kind === "flip") {
    piece[position] = (piece[position] ?? 0) ^ 1;
    return database.putPiece(pieceName(place, index), piece);
  }
  await database.putPiece(pieceName(place, index), piece.subarray(0, position));
  const chunks = Array.from({ length: pieceCount }, (_, chunk) => pieceName(place, chunk));
  return database.dropPieces(chunks.slice(index + 1));
}

async function encryptedId(content: Uint8Array, key: Uint8Array): Promise<string> {
  const store = withEncryption(createMemoryArtifactStore(), { key });
  const { artifactId } = await store.store(content, { source: "custom-store" });
  await store.close();
  return artifactId;
}
