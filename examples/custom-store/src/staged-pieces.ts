import { type StagedBlob, chunkBytes } from "@ccl/artifact-store/driver";

import { pieceName, pieceNames } from "./blob-entry.ts";
import type { Database, ReadOptions } from "./database.ts";

/** Bytes on their way to a place of their own, one piece a chunk; what no commit takes expires. */
export class StagedPieces implements StagedBlob {
  readonly place: string = crypto.randomUUID();
  pieceCount = 0;
  /** True once a write may have taken the bytes: of a write without an answer nobody knows. */
  isTaken = false;
  readonly #database: Database;
  readonly #options: ReadOptions;

  constructor(database: Database, options: ReadOptions) {
    this.#database = database;
    this.#options = options;
  }

  async write(piece: Uint8Array): Promise<void> {
    await this.#database.putPiece(pieceName(this.place, this.pieceCount), piece, this.#options);
    this.pieceCount += 1;
  }

  /** Adds the chunk hashes, so that the entry stays small; the pieces that a write has to keep. */
  async finish(chunkHashes: Uint8Array): Promise<string[]> {
    const names = pieceNames(this.place, this.pieceCount);
    const hashes = pieceName(this.place, "hashes");
    if (chunkHashes.length === 0) return names.filter((name) => name !== hashes);
    await this.#database.putPiece(hashes, chunkHashes, this.#options);
    return names;
  }

  async discard(): Promise<void> {
    if (!this.isTaken) await this.#database.dropPieces(pieceNames(this.place, this.pieceCount));
  }
}

/** Stages content that came as bytes, so that a write never carries more than names. */
export async function stageBytes(
  database: Database,
  bytes: Uint8Array,
  options: ReadOptions,
): Promise<StagedPieces> {
  const staged = new StagedPieces(database, options);
  for (let start = 0; start === 0 || start < bytes.length; start += chunkBytes) {
    await staged.write(bytes.subarray(start, start + chunkBytes));
  }
  return staged;
}
