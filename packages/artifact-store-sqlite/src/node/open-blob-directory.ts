import { mkdir, open, rm, type FileHandle } from "node:fs/promises";
import { join } from "node:path";
import type { BlobDirectory, BlobFileWriter } from "../blob-directory.ts";

/** How a directory of blobs keeps its files. */
export interface OpenBlobDirectoryOptions {
  /** `full` (default) syncs a file and its folder before the commit that names it; `off` syncs nothing. */
  durability?: "full" | "off";
}

/** A folder for long contents, made when it is not there. One folder belongs to one database. */
export async function openBlobDirectory(
  path: string,
  { durability = "full" }: OpenBlobDirectoryOptions = {},
): Promise<BlobDirectory> {
  await mkdir(path, { recursive: true });
  const isSynced = durability === "full";
  if (isSynced) await syncFolder(join(path, ".."));
  return {
    async create(name) {
      return new FileWriter(await open(join(path, name), "wx"), isSynced ? path : undefined);
    },
    async read(name, start, end) {
      const file = await open(join(path, name), "r").catch(ignoreMissing);
      if (file === undefined) return undefined;
      try {
        return await readSpan(file, start, end);
      } finally {
        await file.close();
      }
    },
    remove: (name) => rm(join(path, name), { force: true }),
  };
}

class FileWriter implements BlobFileWriter {
  readonly #file: FileHandle;
  /** Undefined where nothing is synced. */
  readonly #folder: string | undefined;

  constructor(file: FileHandle, folder: string | undefined) {
    this.#file = file;
    this.#folder = folder;
  }

  async write(bytes: Uint8Array): Promise<void> {
    for (let at = 0; at < bytes.length;) at += (await this.#file.write(bytes, at)).bytesWritten;
  }

  async finish(): Promise<void> {
    try {
      if (this.#folder !== undefined) await this.#file.sync();
    } finally {
      await this.#file.close();
    }
    if (this.#folder !== undefined) await syncFolder(this.#folder);
  }

  async abandon(): Promise<void> {
    await this.#file.close();
  }
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

async function syncFolder(path: string): Promise<void> {
  // Windows can't open a folder; NTFS keeps names in its journal.
  const folder = await open(path, "r").catch(() => undefined);
  try {
    await folder?.sync();
  } finally {
    await folder?.close();
  }
}

function ignoreMissing(error: unknown): undefined {
  if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
  throw error;
}
