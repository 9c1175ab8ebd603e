import type { StagedBlob } from "@ccl/artifact-store/driver";
import { join } from "node:path";
import { folderPath, unlinkIfThere } from "../layout/store-folder.ts";
import type { FsStore, StagedFile } from "./fs-store.ts";

/** Space for the header of a file whose header is known last. */
export const reservedHeaderBytes = 4096;

/** Starts a stream in the folder `staging`. */
export async function stageFile(store: FsStore): Promise<StagedBlob> {
  const path = join(folderPath(store, "staging"), `${store.owner.nextToken()}.tmp`);
  const file = await store.fs.create(path);
  let sizeBytes = 0;
  let isOpen = true;
  const blob: StagedFile = {
    path,
    async write(piece) {
      await file.write(piece, reservedHeaderBytes + sizeBytes);
      sizeBytes += piece.length;
    },
    async finish(header, { record, now }) {
      await file.write(header, 0);
      await file.write(record.chunkHashes, reservedHeaderBytes + record.sizeBytes);
      await file.setTime(now);
      if (store.durability !== "off") await file.sync();
    },
    async discard() {
      if (!isOpen) return;
      isOpen = false;
      try {
        await file.close();
      } finally {
        await unlinkIfThere(store, path);
      }
    },
  };
  store.staged.set(blob, blob);
  return blob;
}
