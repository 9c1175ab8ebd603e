import { systemCode, unless } from "@ccl/core/node";

import { type PlanIssueCode, quote } from "../../plan-issue.ts";
import type { EntryStatus, Folder } from "../file-system/folder.ts";
import { type FileFacts, readFacts } from "../file-system/read-file.ts";
import { inFolder, splitPath } from "../file-system/in-folder.ts";

/** Larger files are neither read nor changed as text. They can still be deleted. */
export const MAX_TEXT_BYTES: number = 16 * 1024 * 1024;

/** The entry at a path. */
export type FoundEntry =
  | { kind: "file"; facts: FileFacts }
  | { kind: "folder"; mode: number }
  | {
      kind: "absent";
      /** The deepest existing folder on the way. `""` is the root. */
      lastFolder: string;
    };

/** An entry at the path or on the way that a plan must not pass. */
export interface BlockedPath {
  kind: "blocked";
  code: PlanIssueCode;
  message: string;
}

/** Looks up a path without following links. The bytes of a file are included up to a limit. */
export async function lookAt(
  root: Folder,
  path: string,
  maxBytes: number,
): Promise<FoundEntry | BlockedPath> {
  const { parent, name } = splitPath(path);
  try {
    return await inFolder(root, parent, async (folder) => {
      const status = await folder.status(name);
      if (status === undefined) return { kind: "absent", lastFolder: parent };
      if (status.kind === "folder") return { kind: "folder", mode: status.mode };
      if (status.kind !== "file") return blockedBy(path, status);
      const facts = await unless(["ENOENT"], readFacts(folder, name, maxBytes), undefined);
      return facts === undefined ? { kind: "absent", lastFolder: parent } : { kind: "file", facts };
    });
  } catch (error) {
    const code = systemCode(error) ?? "";
    if (code === "ENOENT") return { kind: "absent", lastFolder: await lastFolderOf(root, parent) };
    if (code === "ENOTDIR" || code === "ELOOP") return whatBlocks(root, parent);
    throw error;
  }
}

/** Finds the part of the way that is not a folder. */
async function whatBlocks(root: Folder, folder: string): Promise<BlockedPath> {
  const parts = folder.split("/");
  for (let end = 1; end <= parts.length; end += 1) {
    const path = parts.slice(0, end).join("/");
    const { parent, name } = splitPath(path);
    const status = await inFolder(root, parent, (above) => above.status(name));
    if (status !== undefined && status.kind !== "folder") return blockedBy(path, status);
  }
  return {
    kind: "blocked",
    code: "CONCURRENT_EDIT",
    message: `${quote(folder)} is being changed by someone else.`,
  };
}

async function lastFolderOf(root: Folder, folder: string): Promise<string> {
  for (let path = folder; path !== ""; path = splitPath(path).parent) {
    const isThere = await unless(
      ["ENOENT"],
      inFolder(root, path, () => Promise.resolve(true)),
      false,
    );
    if (isThere) return path;
  }
  return "";
}

function blockedBy(path: string, { kind }: EntryStatus): BlockedPath {
  if (kind === "file")
    return {
      kind: "blocked",
      code: "ERR_TARGET_EXISTS",
      message: `${quote(path)} is a file, so nothing can be below it.`,
    };
  const message =
    kind === "link"
      ? `${quote(path)} is a symbolic link, and none is followed. Name the file itself, by its own path.`
      : `${quote(path)} is neither a file nor a folder but a pipe, a socket or a device.`;
  return { kind: "blocked", code: "ERR_INVALID_PATH", message };
}
