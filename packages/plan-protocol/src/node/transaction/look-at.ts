import { type Result, success } from "@ccl/core";
import { systemCode, unless } from "@ccl/core/node";

import { quote, refusal } from "../../plan-issue.ts";
import type { EntryStatus, Folder } from "../file-system/folder.ts";
import { decodeText, type FileFacts, readFacts } from "../file-system/read-file.ts";
import { inFolder, splitPath } from "../file-system/in-folder.ts";

/** Larger files are not read or changed as text. They can still be deleted. */
export const MAX_TEXT_BYTES: number = 16 * 1024 * 1024;

/** The entry at a path, and its file system. If there is no entry, that of the deepest existing folder. */
export type FoundEntry = { device: string } & (
  | { kind: "file"; facts: FileFacts }
  | { kind: "folder"; mode: number }
  | {
      kind: "absent";
      /** The deepest existing folder on the way. `""` is the root. */
      lastFolder: string;
    }
);

/**
 * Looks up a path without following links. Includes a file's bytes up to a limit. Returns an issue if the path or a
 * parent is an entry that a plan must not pass.
 */
export async function lookAt(
  root: Folder,
  path: string,
  maxBytes: number,
): Promise<Result<FoundEntry>> {
  const { parent, name } = splitPath(path);
  try {
    return await inFolder(root, parent, async (folder) => {
      const status = await folder.status(name);
      if (status?.kind === "folder") {
        const { device, mode } = status;
        return success({ kind: "folder", device, mode });
      }
      if (status !== undefined && status.kind !== "file") return blockedBy(path, status);
      const facts = await unless(["ENOENT"], readFacts(folder, name, maxBytes), undefined);
      return facts === undefined
        ? success(await absentBelow(folder, parent))
        : success({ kind: "file", device: facts.status.device, facts });
    });
  } catch (error) {
    const code = systemCode(error) ?? "";
    if (code === "ENOENT") return success(await absentIn(root, parent));
    if (code === "ENOTDIR" || code === "ELOOP") return whatBlocks(root, parent);
    throw error;
  }
}

/** Returns the facts of a file that was looked up, or why there are none. */
export function fileIn(found: FoundEntry, path: string): Result<FileFacts> {
  if (found.kind === "file") return success(found.facts);
  const reason =
    found.kind === "absent"
      ? `There is no file ${quote(path)}.`
      : `${quote(path)} is a folder, not a file.`;
  return refusal("PATH_NOT_FOUND", reason, ["path"]);
}

/** Returns a file's text, or why it has none. Keeps a byte order mark. */
export function textIn({ bytes, status }: FileFacts, path: string): Result<string> {
  const { sizeBytes } = status;
  if (bytes === undefined)
    return refusal(
      "ERR_CONTENT_TOO_LARGE",
      `${quote(path)} has ${sizeBytes} bytes, more than ${MAX_TEXT_BYTES}.`,
      ["path"],
    );
  const text = decodeText(bytes);
  if (text !== undefined) return success(text);
  const message = `${quote(path)} is not UTF-8 text (${sizeBytes} bytes).`;
  return refusal("ERR_NON_UTF8_FILE", message, ["path"]);
}

/** Finds the part of the path that is not a folder. */
async function whatBlocks(root: Folder, folder: string): Promise<Result<never>> {
  const parts = folder.split("/");
  for (const end of parts.keys()) {
    const path = parts.slice(0, end + 1).join("/");
    const { parent, name } = splitPath(path);
    const status = await inFolder(root, parent, (above) => above.status(name));
    if (status !== undefined && status.kind !== "folder") return blockedBy(path, status);
  }
  const message = `${quote(folder)} is being changed by someone else.`;
  return refusal("CONCURRENT_EDIT", message, ["path"]);
}

/** Returns an absent entry if the deepest existing folder is this one or above it. */
async function absentIn(root: Folder, path: string): Promise<FoundEntry> {
  const found = inFolder(root, path, (folder) => absentBelow(folder, path));
  return (
    (await unless(["ENOENT"], found, undefined)) ?? (await absentIn(root, splitPath(path).parent))
  );
}

async function absentBelow(folder: Folder, lastFolder: string): Promise<FoundEntry> {
  return { kind: "absent", device: (await folder.ownStatus()).device, lastFolder };
}

const BLOCKED = {
  folder: "",
  file: "is a file, so nothing can be below it.",
  link: "is a symbolic link, and none is followed. Name the file itself, by its own path.",
  other: "is neither a file nor a folder but a pipe, a socket or a device.",
} as const;

function blockedBy(path: string, { kind }: EntryStatus): Result<never> {
  const code = kind === "file" ? "ERR_TARGET_EXISTS" : "ERR_INVALID_PATH";
  return refusal(code, `${quote(path)} ${BLOCKED[kind]}`, ["path"]);
}
