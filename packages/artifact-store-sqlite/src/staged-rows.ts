import type { Clock } from "@ccl/core";
import { transaction, type SqliteDatabase } from "@ccl/sql";
import { nextTurn } from "./next-turn.ts";
import { chunksPerSet } from "./schema.ts";
import { addStage, StagedSet, touchStage, type StageOptions } from "./staged-set.ts";

/** Chunk rows that belong to no blob yet. Each piece has its own transaction, so a long stream never holds the lock. */
export class StagedRows extends StagedSet {
  readonly isFile = false;
  readonly #database: SqliteDatabase;
  readonly #clock: Clock;
  readonly #signal: { signal?: AbortSignal | undefined };
  #count = 0;

  private constructor(setId: number, { database, clock, signal }: StageOptions) {
    super(setId);
    this.#database = database;
    this.#clock = clock;
    this.#signal = { signal };
  }

  static async open(options: StageOptions): Promise<StagedRows> {
    const { database, clock } = options;
    return new StagedRows(
      await transaction(database, (tx) => addStage(tx, false, clock.now())),
      options,
    );
  }

  async write(piece: Uint8Array): Promise<void> {
    const add = (tx: SqliteDatabase): void => {
      touchStage(tx, this.setId, this.#clock.now());
      const insert = "INSERT INTO artifact_chunks (chunk_key, bytes) VALUES (?, ?)";
      tx.prepare(insert).run(this.setId * chunksPerSet + this.#count, piece);
    };
    await transaction(this.#database, add, this.#signal);
    this.#count += 1;
    await nextTurn(this.#count);
  }

  async finish(): Promise<void> {
    // Each piece was committed already.
  }

  protected async drop(): Promise<void> {
    await transaction(this.#database, (tx) => dropStagedRows(tx, this.setId));
  }
}

/** Removes the rows of a set. */
export function dropChunks(tx: SqliteDatabase, setId: number): void {
  const remove = "DELETE FROM artifact_chunks WHERE chunk_key >= ? AND chunk_key < ?";
  tx.prepare(remove).run(setId * chunksPerSet, (setId + 1) * chunksPerSet);
}

/** Removes a set unless a blob owns it by now. */
export function dropStagedRows(tx: SqliteDatabase, setId: number): void {
  if (tx.prepare("DELETE FROM artifact_stages WHERE set_id = ?").run(setId).changes > 0)
    dropChunks(tx, setId);
}
