import { randomBytes } from "node:crypto";
import { open, readlink, realpath, rename, rm, stat } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { syncFolder, type Durability } from "./durability.ts";
import { throwIfAborted } from "../async/abort.ts";
import { ioError, NodeIoError } from "./node-io-error.ts";
import { systemCode } from "./system-code.ts";

/** Options of `writeFileDurable`. */
interface WriteFileDurableOptions {
  /**
   * Permission bits, set exactly. By default, those of the replaced file, or the process's default
   * for a new file.
   */
  mode?: number | undefined;
  /** `full` by default. */
  durability?: Durability | undefined;
  /** Aborts the write until the new content replaces the old. */
  signal?: AbortSignal | undefined;
}

/**
 * Replaces a file atomically: a reader sees either the old or the new content, even after a crash.
 * It writes a temporary file in the same folder and renames it. A symbolic link stays, and its
 * target is replaced. Owner, hard links and extended attributes of the old file are lost.
 * @throws NodeIoError `write_failed` or `aborted`. The old content is then unchanged and no
 * temporary file remains.
 */
export async function writeFileDurable(
  path: string,
  data: string | Uint8Array,
  options: WriteFileDurableOptions = {},
): Promise<void> {
  const { durability = "full", signal } = options;
  throwIfAborted(signal, NodeIoError);
  try {
    const target = await linkTarget(path);
    const temporary = join(dirname(target), `.ccl-${randomBytes(8).toString("hex")}.tmp`);
    try {
      const mode = options.mode ?? (await stat(target).catch(() => undefined))?.mode;
      await writeTemporary(temporary, data, {
        mode,
        durability,
        signal,
      });
      throwIfAborted(signal, NodeIoError);
      await rename(temporary, target);
    } catch (error) {
      await rm(temporary, { force: true });
      throw error;
    }
    if (durability === "full") await syncFolder(dirname(target));
  } catch (error) {
    throwIfAborted(signal, NodeIoError);
    throw ioError("write_failed", `Could not write "${path}"`, error);
  }
}

async function writeTemporary(
  path: string,
  data: string | Uint8Array,
  { mode, durability, signal }: WriteFileDurableOptions,
): Promise<void> {
  const handle = await open(path, "wx");
  try {
    if (mode !== undefined) await handle.chmod(mode & 0o7777);
    await handle.writeFile(data, signal === undefined ? {} : { signal });
    if (durability !== "off") await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Resolves a chain of links to the final path, which need not exist. */
async function linkTarget(path: string): Promise<string> {
  let target = resolve(path);
  for (;;) {
    try {
      return await realpath(target);
    } catch (error) {
      if (systemCode(error) !== "ENOENT") throw error;
    }
    const link = await readlink(target).catch(() => undefined);
    if (link === undefined) return target;
    target = resolve(await realpath(dirname(target)), link);
  }
}
