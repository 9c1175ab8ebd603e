import { ArtifactStoreError } from "@ccl/artifact-store";
import type { StagedBlob } from "@ccl/artifact-store/driver";
import type { Clock } from "@ccl/core";
import type { SqliteDatabase } from "@ccl/sql";

/** What all streams share. */
export interface StageOptions {
  database: SqliteDatabase;
  clock: Clock;
  signal?: AbortSignal | undefined;
}

/** Bytes of a numbered set that belong to no blob yet. */
export abstract class StagedSet implements StagedBlob {
  readonly setId: number;
  /** True if the bytes are in a file. */
  abstract readonly isFile: boolean;
  #isGone = false;

  constructor(setId: number) {
    this.setId = setId;
  }

  abstract write(piece: Uint8Array): Promise<void>;

  /** Makes the bytes durable, before the commit that gives them to a blob. */
  abstract finish(): Promise<void>;

  protected abstract drop(): Promise<void>;

  /** Gives the bytes to a blob within a transaction. `kept` must be called once it is committed. */
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
    await this.drop();
  }
}

/** Adds a set that belongs to no blob. */
export function addStage(tx: SqliteDatabase, isFile: boolean, now: number): number {
  const add = "INSERT INTO artifact_stages (is_file, written_at) VALUES (?, ?)";
  return Number(tx.prepare(add).run(Number(isFile), now).lastInsertRowid);
}

/** Records that the set's writer is alive. */
export function touchStage(tx: SqliteDatabase, setId: number, now: number): void {
  const touch = tx.prepare("UPDATE artifact_stages SET written_at = ? WHERE set_id = ?");
  if (touch.run(now, setId).changes === 0) throw sweptError();
}

function sweptError(): ArtifactStoreError {
  const message =
    "The stream paused for so long that another process took it for dead and removed its bytes; store it again.";
  return new ArtifactStoreError("unavailable", message);
}
