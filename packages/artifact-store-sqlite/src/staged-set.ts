import { ArtifactStoreError } from "@ccl/artifact-store";
import type { StagedBlob } from "@ccl/artifact-store/driver";
import type { Clock } from "@ccl/core";
import { transaction, type SqliteDatabase } from "@ccl/sql";
import { blobFileName, type BlobDirectory, type BlobFileWriter } from "./blob-directory.ts";
import { nextTurn } from "./next-turn.ts";
import { chunksPerSet } from "./schema.ts";

/** Interval at which the writer of a file reports that it is alive. */
const touchEveryMs = 60_000;

/** Options that all streams share. */
export interface StageOptions {
  database: SqliteDatabase;
  clock: Clock;
  /** Where streams are stored. If absent, in chunk rows. */
  directory: BlobDirectory | undefined;
  signal?: AbortSignal | undefined;
}

/** A file that is being written. */
interface StagedFile {
  directory: BlobDirectory;
  writer: BlobFileWriter;
}

/**
 * Bytes of a numbered set that does not belong to a blob yet: a file, or chunk rows. Each row has its own transaction,
 * so a long stream never holds the lock.
 */
export class StagedSet implements StagedBlob {
  readonly setId: number;
  readonly #options: StageOptions;
  readonly #file: StagedFile | undefined;
  #isFileOpen: boolean;
  #touchedAt: number;
  #count = 0;
  #isGone = false;

  private constructor(setId: number, options: StageOptions, file: StagedFile | undefined) {
    this.setId = setId;
    this.#options = options;
    this.#file = file;
    this.#isFileOpen = file !== undefined;
    this.#touchedAt = options.clock.now();
  }

  /** Opens a set. Commits the stage before creating its file, so that no file is forgotten. */
  static async open(options: StageOptions): Promise<StagedSet> {
    const { database, clock, directory } = options;
    const add = "INSERT INTO artifact_stages (is_file, written_at) VALUES (?, ?)";
    const isFile = Number(directory !== undefined);
    const setId = await transaction(database, (tx) =>
      Number(tx.prepare(add).run(isFile, clock.now()).lastInsertRowid),
    );
    const writer = await directory?.create(blobFileName(setId));
    return new StagedSet(setId, options, directory && writer && { directory, writer });
  }

  get isFile(): boolean {
    return this.#file !== undefined;
  }

  async write(piece: Uint8Array): Promise<void> {
    const { database, clock, signal } = this.#options;
    const now = clock.now();
    if (this.#file !== undefined) {
      if (now - this.#touchedAt >= touchEveryMs) {
        await transaction(database, (tx) => this.#touch(tx, now));
        this.#touchedAt = now;
      }
      return this.#file.writer.write(piece);
    }
    const add = (tx: SqliteDatabase): void => {
      this.#touch(tx, now);
      const insert = "INSERT INTO artifact_chunks (chunk_key, bytes) VALUES (?, ?)";
      tx.prepare(insert).run(this.setId * chunksPerSet + this.#count, piece);
    };
    await transaction(database, add, { signal });
    this.#count += 1;
    await nextTurn(this.#count);
  }

  /** Makes the bytes durable, before the commit that assigns them to a blob. Rows are already committed. */
  async finish(): Promise<void> {
    if (!this.#isFileOpen) return;
    this.#isFileOpen = false;
    await this.#file?.writer.finish();
  }

  /** Assigns the bytes to a blob within a transaction. `kept` must be called once it is committed. */
  take(tx: SqliteDatabase): void {
    if (tx.prepare("DELETE FROM artifact_stages WHERE set_id = ?").run(this.setId).changes === 0)
      throw sweptError();
  }

  kept(): void {
    this.#isGone = true;
  }

  async discard(): Promise<void> {
    if (this.#isGone) return;
    this.#isGone = true;
    if (this.#isFileOpen) await this.#file?.writer.abandon();
    this.#isFileOpen = false;
    await this.#file?.directory.remove(blobFileName(this.setId));
    await transaction(this.#options.database, (tx) => dropStage(tx, this.setId));
  }

  /** Records that the set's writer is alive. */
  #touch(tx: SqliteDatabase, now: number): void {
    const touch = tx.prepare("UPDATE artifact_stages SET written_at = ? WHERE set_id = ?");
    if (touch.run(now, this.setId).changes === 0) throw sweptError();
  }
}

/** Removes the rows of a set. */
export function dropChunks(tx: SqliteDatabase, setId: number): void {
  const remove = "DELETE FROM artifact_chunks WHERE chunk_key >= ? AND chunk_key < ?";
  tx.prepare(remove).run(setId * chunksPerSet, (setId + 1) * chunksPerSet);
}

/** Removes a set and its rows, unless a blob now owns it. */
export function dropStage(tx: SqliteDatabase, setId: number): void {
  if (tx.prepare("DELETE FROM artifact_stages WHERE set_id = ?").run(setId).changes > 0)
    dropChunks(tx, setId);
}

function sweptError(): ArtifactStoreError {
  const message =
    "The stream paused for so long that another process took it for dead and removed its bytes; store it again.";
  return new ArtifactStoreError("unavailable", message);
}
