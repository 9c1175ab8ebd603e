import { ArtifactStoreError } from "@ccl/artifact-store";
import { syncFolder, systemCode } from "@ccl/core/node";
import type { SqliteDurability } from "@ccl/sql";
import { mkdir, open, stat, unlink, type FileHandle } from "node:fs/promises";
import { join, resolve } from "node:path";
import type { BlobDirectory, BlobFileWriter } from "../blob-directory.ts";

/** Options of a blob directory. */
export interface OpenBlobDirectoryOptions {
  /**
   * `full` (default) and `normal` sync a file and its folder before the commit that names it, because a commit that
   * survives a power cut needs its file. `off` syncs nothing.
   */
  durability?: SqliteDurability | undefined;
}

/**
 * Opens a folder for long content, and creates it if missing. One folder belongs to one database. While the folder is
 * missing or replaced by another, for example because its disk is not mounted, reads fail with `unavailable` and
 * nothing counts as lost.
 * @throws ArtifactStoreError `invalid_input`
 */
export async function openBlobDirectory(
  path: string,
  { durability = "full" }: OpenBlobDirectoryOptions = {},
): Promise<BlobDirectory> {
  if (typeof path !== "string" || path === "" || path.includes("\0")) {
    throw new ArtifactStoreError("invalid_input", "Name a folder as the blob directory.");
  }
  if (!["full", "normal", "off"].includes(durability)) {
    throw new ArtifactStoreError(
      "invalid_input",
      `The durability is "${durability}"; pass full, normal or off.`,
    );
  }
  const folder = resolve(path);
  const isSynced = durability !== "off";
  await mkdir(folder, { recursive: true });
  if (isSynced) await syncFolder(join(folder, ".."));
  const opened = await stat(folder);
  /** Returns the result of a file call. Undefined if the file does not exist in the folder. */
  const unlessMissing = async <Value>(call: Promise<Value>): Promise<Value | undefined> => {
    try {
      return await call;
    } catch (error) {
      if (systemCode(error) !== "ENOENT") throw error;
      const found = await stat(folder).catch(() => undefined);
      if (found?.dev === opened.dev && found.ino === opened.ino) return undefined;
      const message = `The blob directory "${folder}" is not the folder that was opened; mount it again and retry, or open the store anew.`;
      throw new ArtifactStoreError("unavailable", message, { cause: error });
    }
  };
  return {
    async create(name) {
      return writerOf(await open(join(folder, name), "wx"), isSynced ? folder : undefined);
    },
    async read(name, start, end) {
      const file = await unlessMissing(open(join(folder, name), "r"));
      if (file === undefined) return undefined;
      try {
        return await readSpan(file, start, end);
      } finally {
        await file.close();
      }
    },
    remove: (name) => unlessMissing(unlink(join(folder, name))),
  };
}

/** Creates a writer. `folder` is undefined if nothing is synced. */
function writerOf(file: FileHandle, folder: string | undefined): BlobFileWriter {
  return {
    async write(bytes) {
      for (let at = 0; at < bytes.length;) at += (await file.write(bytes, at)).bytesWritten;
    },
    async finish() {
      try {
        if (folder !== undefined) await file.sync();
      } finally {
        await file.close();
      }
      if (folder !== undefined) await syncFolder(folder);
    },
    abandon: () => file.close(),
  };
}

async function readSpan(file: FileHandle, start: number, end: number): Promise<Uint8Array> {
  const bytes = new Uint8Array(end - start);
  let filled = 0;
  while (filled < bytes.length) {
    const { bytesRead } = await file.read(bytes, filled, bytes.length - filled, start + filled);
    if (bytesRead === 0) break;
    filled += bytesRead;
  }
  return filled === bytes.length ? bytes : bytes.slice(0, filled);
}
