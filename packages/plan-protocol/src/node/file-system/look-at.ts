import { type Result, success } from "@ccl/core";
import { unless } from "@ccl/core/node";

import { type PlanIssueCode, quote, refusal } from "../../plan-issue.ts";
import type { EntryStatus, Folder } from "./folder.ts";
import { NO_FOLDER } from "./in-folder.ts";
import { decodeText, type FileFacts, readFacts } from "./read-file.ts";

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
export function lookAt(root: Folder, path: string, maxBytes: number): Promise<Result<FoundEntry>> {
  const message = `${quote(path)} is being changed by another program.`;
  const changing = refusePath("CONCURRENT_EDIT", message);
  return unless(NO_FOLDER, lookBelow(root, "", { path, maxBytes }), changing);
}

/** Looks up the path from an open folder on the way. `above` is that folder's own path, with a slash. */
async function lookBelow(
  folder: Folder,
  above: string,
  wanted: { path: string; maxBytes: number },
): Promise<Result<FoundEntry>> {
  const [name = "", ...below] = wanted.path.slice(above.length).split("/");
  const isLast = below.length === 0;
  const status = await folder.status(name);
  if (status?.kind === "folder" && !isLast) {
    const inner = await folder.openFolder(name);
    return lookBelow(inner, `${above}${name}/`, wanted).finally(() => inner.close());
  }
  if (status?.kind === "folder") {
    const { device, mode } = status;
    return success({ kind: "folder", device, mode });
  }
  if (status !== undefined && (status.kind !== "file" || !isLast))
    return blockedBy(above + name, status);
  const reading = readFacts(folder, name, wanted.maxBytes);
  const facts = await unless(["ENOENT"], reading, undefined);
  if (facts !== undefined) return success({ kind: "file", device: facts.status.device, facts });
  const { device } = await folder.ownStatus();
  return success({ kind: "absent", device, lastFolder: above.slice(0, -1) });
}

/** Looks up a file. Returns its facts, or why there are none. */
export async function fileAt(root: Folder, path: string): Promise<Result<FileFacts>> {
  const looked = await lookAt(root, path, MAX_TEXT_BYTES);
  if (!looked.ok) return looked;
  if (looked.value.kind === "file") return success(looked.value.facts);
  const reason =
    looked.value.kind === "absent"
      ? `There is no file ${quote(path)}.`
      : `${quote(path)} is a folder, not a file.`;
  return refusePath("PATH_NOT_FOUND", reason);
}

/** Returns a file's text, or why it has none. Keeps a byte order mark. */
export function textIn({ bytes, status }: FileFacts, path: string): Result<string> {
  const { sizeBytes } = status;
  if (bytes === undefined)
    return refusePath(
      "ERR_CONTENT_TOO_LARGE",
      `${quote(path)} has ${sizeBytes} bytes, more than the limit of ${MAX_TEXT_BYTES}.`,
    );
  const text = decodeText(bytes);
  if (text !== undefined) return success(text);
  const message = `${quote(path)} is not UTF-8 text (${sizeBytes} bytes).`;
  return refusePath("ERR_NON_UTF8_FILE", message);
}

/** Creates a failure about the path of an action or a request. */
export function refusePath(code: PlanIssueCode, message: string): Result<never> {
  return refusal(code, message, ["path"]);
}

const BLOCKED = {
  folder: "",
  file: "is a file, so nothing can be below it.",
  link: "is a symbolic link, and links are never followed. Use the path of the file itself.",
  other: "is neither a file nor a folder but a pipe, a socket or a device.",
} as const;

function blockedBy(path: string, { kind }: EntryStatus): Result<never> {
  const code = kind === "file" ? "ERR_TARGET_EXISTS" : "ERR_INVALID_PATH";
  return refusePath(code, `${quote(path)} ${BLOCKED[kind]}`);
}
