import { mkdir, rmdir } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { sha256Hex } from "@ccl/core";
import { unless } from "@ccl/core/node";

import type { Folder } from "./folder.ts";
import { openRootFolder } from "./node-folder.ts";

/**
 * The user's private folder for a root, in the system's directory for temporary files. Undefined if there is none.
 * @throws `EACCES` if another user could write to it
 */
export async function openShelter(rootPath: string, mayMake: boolean): Promise<Folder | undefined> {
  const path = shelterOf(rootPath);
  if (mayMake) await mkdir(path, { recursive: true, mode: 0o700 });
  const own = await unless(["ENOENT"], openRootFolder(shelters()), undefined);
  if (own === undefined) return undefined;
  try {
    const { ownerId, mode } = await own.ownStatus();
    const isOwn = ownerId === process.geteuid?.() && (mode & 0o077) === 0;
    if (!isOwn && process.platform !== "win32")
      throw Object.assign(new Error(`"${shelters()}" is another user's.`), { code: "EACCES" });
    return await unless(["ENOENT"], own.openFolder(nameOf(rootPath)), undefined);
  } finally {
    await own.close();
  }
}

/** Removes the folder if it is empty. */
export async function removeShelter(rootPath: string): Promise<void> {
  await rmdir(shelterOf(rootPath)).catch(() => undefined);
}

function shelters(): string {
  return join(tmpdir(), `ccl-${process.geteuid?.() ?? "checks"}`);
}

function nameOf(rootPath: string): string {
  return sha256Hex(rootPath).slice(0, 32);
}

function shelterOf(rootPath: string): string {
  return join(shelters(), nameOf(rootPath));
}
