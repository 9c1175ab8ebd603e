import { randomUUID } from "node:crypto";
import { open, realpath, rename, rm, stat } from "node:fs/promises";
import { dirname, join } from "node:path";

import { NodeIoError } from "./node-io-error.ts";

/** How sure a write is to survive: `full` a power cut, `normal` the end of the process, `off` the same without waiting for the disk. */
export type Durability = "full" | "normal" | "off";

/** Options of `writeFileDurable`. */
export interface WriteFileDurableOptions {
  /** Exact permissions of a new file; one that exists keeps its own. Default: 0o666 less the mask of the process. */
  mode?: number;
  /** Default "full": the file and its folder are synced. */
  durability?: Durability;
  signal?: AbortSignal;
}

/**
 * Replaces a file as a whole: after a crash it has its old content or the new one, never a mixture. Writes beside it
 * and renames, through a link to the file that it points at. The folder has to exist.
 * @throws NodeIoError `io_failed`, `aborted`; nothing of the attempt is left behind.
 */
export async function writeFileDurable(
  path: string,
  data: string | Uint8Array,
  options: WriteFileDurableOptions = {},
): Promise<void> {
  const { durability = "full", signal } = options;
  const target = await realpath(path).catch(() => path);
  const temporary = join(dirname(target), `.${randomUUID()}.tmp`);
  try {
    const mode = await stat(target).then(
      (stats) => stats.mode & 0o7777,
      () => options.mode,
    );
    signal?.throwIfAborted();
    await writeWhole(temporary, data, { mode, isSynced: durability === "full" });
    signal?.throwIfAborted();
    await rename(temporary, target);
  } catch (error) {
    await rm(temporary, { force: true }).catch(() => undefined);
    throw toNodeIoError(error, `write ${path}`, signal);
  }
  if (durability === "full") await syncFolder(dirname(target));
}

async function writeWhole(
  path: string,
  data: string | Uint8Array,
  options: { mode: number | undefined; isSynced: boolean },
): Promise<void> {
  const file = await open(path, "wx", options.mode);
  try {
    await file.writeFile(data);
    // The process's mask narrows the mode that open was given.
    if (options.mode !== undefined) await file.chmod(options.mode);
    if (options.isSynced) await file.sync();
  } finally {
    await file.close();
  }
}

/** Makes a rename in the folder durable, where the platform lets a folder be synced. */
async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, "r").catch(() => undefined);
  if (folder === undefined) return;
  try {
    await folder.sync();
  } catch {
    // Windows and some network file systems refuse; their renames are as durable as they get.
  } finally {
    await folder.close();
  }
}

function toNodeIoError(error: unknown, what: string, signal: AbortSignal | undefined): NodeIoError {
  if (signal?.aborted === true) return new NodeIoError("aborted", `Was aborted: ${what}.`, { cause: error });
  const reason = error instanceof Error ? error.message : String(error);
  return new NodeIoError("io_failed", `Could not ${what}: ${reason}`, { cause: error });
}
