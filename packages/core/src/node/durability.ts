import { open, type FileHandle } from "node:fs/promises";
import { systemCode } from "./system-code.ts";

/**
 * What an acknowledged write survives. `full`: a power failure. `normal`: a power failure may undo
 * the latest writes but never corrupts one. `off`: only the end of the process.
 */
export type Durability = "full" | "normal" | "off";

const unsupported = new Set(["EISDIR", "EPERM", "EACCES", "EINVAL", "ENOTSUP", "EBADF"]);

/** Makes a folder's entries durable, if the platform can. */
export async function syncFolder(folder: string): Promise<void> {
  let handle: FileHandle | undefined;
  try {
    handle = await open(folder, "r");
    await handle.sync();
  } catch (error) {
    if (!unsupported.has(systemCode(error) ?? "")) throw error;
  } finally {
    await handle?.close();
  }
}
