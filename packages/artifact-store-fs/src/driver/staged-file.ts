import type { BlobRecord, StagedBlob } from "@ccl/artifact-store/driver";
import { join } from "node:path";
import type { OpenFile } from "../file-system/file-system.ts";
import { folderPath, type StoreFolder, unlinkIfThere } from "../layout/store-folder.ts";

/** Number of bytes reserved for the header, which is only known at the end. */
export const reservedHeaderBytes = 4096;

/** A blob being streamed into the `staging` folder. It gets its header and final name at the end. */
export class StagedFile implements StagedBlob {
  readonly path: string;
  readonly #store: StoreFolder;
  readonly #file: OpenFile;
  #sizeBytes = 0;
  #isOpen = true;

  private constructor(store: StoreFolder, path: string, file: OpenFile) {
    this.#store = store;
    this.path = path;
    this.#file = file;
  }

  static async create(store: StoreFolder): Promise<StagedFile> {
    const path = join(folderPath(store, "staging"), `${store.owner.nextToken()}.tmp`);
    return new StagedFile(store, path, await store.fs.create(path));
  }

  async write(piece: Uint8Array): Promise<void> {
    await this.#file.write(piece, reservedHeaderBytes + this.#sizeBytes);
    this.#sizeBytes += piece.length;
  }

  /**
   * Writes the header and the chunk hashes that follow the content, then syncs. May be called again until the file has
   * its final name.
   */
  async finish(
    header: Uint8Array,
    { record, now }: { record: BlobRecord; now: number },
  ): Promise<void> {
    await this.#file.write(header, 0);
    await this.#file.write(record.chunkHashes, reservedHeaderBytes + record.sizeBytes);
    await this.#file.setTime(now);
    if (this.#store.durability !== "off") await this.#file.sync();
  }

  async discard(): Promise<void> {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    try {
      await this.#file.close();
    } finally {
      await unlinkIfThere(this.#store, this.path);
    }
  }
}
