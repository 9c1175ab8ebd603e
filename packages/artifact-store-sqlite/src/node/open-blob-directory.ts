import { ArtifactStoreError } from "@ccl/artifact-store";
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
 * Opens a folder for long contents, which is created if missing. One folder belongs to one database. While the folder
 * is away or another one has its place, as when its disk is not mounted, reads fail with `unavailable` and nothing
 * counts as lost.
 * @throws ArtifactStoreError `invalid_input`
 */
export async function openBlobDirectory(
  path: string,
  { durability = "full" }: OpenBlobDirectoryOptions = {},
): Promise<BlobDirectory> {
  if (typeof path !== "string" || path === "" || path.includes("\0")) {
    throw new ArtifactStoreError("invalid_input", "The blob directory is no path; name a folder.");
  }
  if (!["full", "normal", "off"].includes(durability)) {
    throw new ArtifactStoreError(
      "invalid_input",
      `The durability is "${durability}"; give full, normal or off.`,
    );
  }
  const folder = resolve(path);
  const isSynced = durability !== "off";
  await mkdir(folder, { recursive: true });
  if (isSynced) await syncFolder(join(folder, ".."));
  const opened = await stat(folder);
  /** The result of a file call. Undefined if the folder has no such file. */
  const unlessMissing = async <Value>(call: Promise<Value>): Promise<Value | undefined> => {
    try {
      return await call;
    } catch (error) {
      if (!isMissing(error)) throw error;
      const found = await stat(folder).catch(() => undefined);
      if (found?.dev === opened.dev && found.ino === opened.ino) return undefined;
      const message = `The blob directory "${folder}" is not the folder that was opened; mount it again and retry, or open the store anew.`;
      throw new ArtifactStoreError("unavailable", message, { cause: error });
    }
  };
  return {
    async create(name) {
      return new FileWriter(await open(join(folder, name), "wx"), isSynced ? folder : undefined);
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

class FileWriter implements BlobFileWriter {
  readonly #file: FileHandle;
  /** Undefined if nothing is synced. */
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
  // Windows cannot open a folder. NTFS keeps names in its journal.
  const folder = await open(path, "r").catch(() => undefined);
  try {
    await folder?.sync();
  } finally {
    await folder?.close();
  }
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "ENOENT";
}
