import { transaction } from "@ccl/sql";
import { blobFileName, type BlobDirectory, type BlobFileWriter } from "./blob-directory.ts";
import { addStage, StagedSet, touchStage, type StageOptions } from "./staged-set.ts";

/** How often a writer reports that it is alive. */
const touchEveryMs = 60_000;

/**
 * A file that belongs to no blob yet. Its stage is committed before the file is created, so that no file is forgotten.
 */
export class StagedFile extends StagedSet {
  readonly isFile = true;
  readonly #options: StageOptions;
  readonly #directory: BlobDirectory;
  readonly #writer: BlobFileWriter;
  #touchedAt: number;
  #isOpen = true;

  private constructor(
    setId: number,
    {
      options,
      directory,
      writer,
    }: { options: StageOptions; directory: BlobDirectory; writer: BlobFileWriter },
  ) {
    super(setId);
    this.#options = options;
    this.#directory = directory;
    this.#writer = writer;
    this.#touchedAt = options.clock.now();
  }

  static async open(options: StageOptions, directory: BlobDirectory): Promise<StagedFile> {
    const { database, clock } = options;
    const setId = await transaction(database, (tx) => addStage(tx, true, clock.now()));
    const writer = await directory.create(blobFileName(setId));
    return new StagedFile(setId, { options, directory, writer });
  }

  async write(piece: Uint8Array): Promise<void> {
    const now = this.#options.clock.now();
    if (now - this.#touchedAt >= touchEveryMs) {
      await transaction(this.#options.database, (tx) => touchStage(tx, this.setId, now));
      this.#touchedAt = now;
    }
    await this.#writer.write(piece);
  }

  async finish(): Promise<void> {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    await this.#writer.finish();
  }

  protected async drop(): Promise<void> {
    if (this.#isOpen) await this.#writer.abandon();
    this.#isOpen = false;
    await this.#directory.remove(blobFileName(this.setId));
    const forget = "DELETE FROM artifact_stages WHERE set_id = ?";
    await transaction(this.#options.database, (tx) => void tx.prepare(forget).run(this.setId));
  }
}
