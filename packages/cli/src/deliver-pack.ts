import { type ChildProcessByStdio, spawn } from "node:child_process";
import { stat, writeFile } from "node:fs/promises";
import { format, parse, resolve } from "node:path";
import type { Writable } from "node:stream";

import type { TokenCounter } from "@ccl/core";
import { systemCode, writeFileDurable } from "@ccl/core/node";

import { CliError, usageError } from "./cli-error.ts";
import type { Session } from "./session.ts";

/** Clipboard programs in order of preference. Each reads the text from stdin. */
const CLIPBOARDS: Record<string, [command: string, ...args: string[]][]> = {
  darwin: [["pbcopy"]],
  win32: [["clip"]],
};
const OTHER_CLIPBOARDS: [string, ...string[]][] = [
  ["wl-copy"],
  ["xclip", "-selection", "clipboard"],
  ["xsel", "--clipboard", "--input"],
];

const BAD_PLACES = new Set<unknown>([
  "ENOENT",
  "ENOTDIR",
  "EACCES",
  "EPERM",
  "EROFS",
  "ENAMETOOLONG",
]);

/** Writes to a file, relative to the current folder. Writes through to devices and pipes. */
export async function writeOut(path: string, text: string, session: Session): Promise<string> {
  const target = resolve(session.terminal.cwd(), path);
  const found = await stat(target).catch(() => undefined);
  try {
    if (found?.isDirectory()) throw usageError(`--out ${path} is a folder. Name a file.`);
    await (found === undefined || found.isFile()
      ? writeFileDurable(target, text)
      : writeFile(target, text));
  } catch (error) {
    if (!isBadPlace(error)) throw error;
    throw usageError(`--out ${path} cannot be written: ${error.message}`, error);
  }
  return target;
}

/** True if the user chose a path that cannot be written. Any other error is a failure. */
function isBadPlace(error: unknown): error is Error {
  return error instanceof Error && BAD_PLACES.has(systemCode(error.cause ?? error));
}

/**
 * Copies text to the clipboard with the first program found, or through the terminal (OSC 52). Returns which was used.
 */
export async function copyToClipboard(text: string, session: Session): Promise<string> {
  const { platform, env, stderr } = session.terminal;
  const candidates = CLIPBOARDS[platform] ?? OTHER_CLIPBOARDS;
  // Windows' clip reads UTF-16. It would decode UTF-8 in the local code page.
  const bytes = Buffer.from(text, platform === "win32" ? "utf16le" : "utf8");
  const { signal } = session;
  for (const [command, ...args] of candidates) {
    signal.throwIfAborted();
    const child = spawn(command, args, {
      env,
      signal,
      stdio: ["pipe", "ignore", "ignore"],
      windowsHide: true,
    });
    if (await hasTaken(child, bytes)) return command;
  }
  if (stderr.isTTY) {
    stderr.write(`\u001B]52;c;${Buffer.from(text).toString("base64")}\u0007`);
    return "the terminal";
  }
  const names = candidates.map(([command]) => command).join(", ");
  throw new CliError(
    "clipboard_unavailable",
    `No working clipboard program (${names}). Install one, or use --out.`,
  );
}

/** Pipes text to a program. False if it is missing or fails, as X11 programs do without a display. */
function hasTaken(
  child: ChildProcessByStdio<Writable, null, null>,
  bytes: Buffer,
): Promise<boolean> {
  return new Promise((settle) => {
    child.on("error", () => settle(false));
    child.on("exit", (code) => settle(code === 0));
    child.stdin.on("error", () => undefined);
    child.stdin.end(bytes);
  });
}

/** Matches the header of a file in a pack, in any style. */
const HEADER = /^(?:={3,} |## |<file\d* )/;

/**
 * Splits a pack into parts of up to `maxTokens`, at the start of a file in a part's second half if there is one,
 * otherwise at a line. Throws if a line alone is longer.
 */
export function splitPack(text: string, maxTokens: number, counter: TokenCounter): string[] {
  const lines = text.split("\n");
  const parts: string[] = [];
  for (let start = 0; start < lines.length;) {
    const title = parts.length === 0 ? "" : `(part ${parts.length + 1})\n`;
    let end = lastFitting(lines, start, { maxTokens, counter, title });
    const first = title + (lines[start] ?? "");
    if (end === start + 1 && counter.count(first) > maxTokens) {
      const file = lines.slice(0, end).findLast((line) => HEADER.test(line)) ?? "the pack";
      const message = `A line below ${JSON.stringify(file)} takes ${counter.count(first)} tokens, more than --split ${maxTokens} allows. Leave that file out with --ignore, or raise --split.`;
      throw usageError(message);
    }
    if (end < lines.length) {
      const middle = start + Math.floor((end - start) / 2);
      const header = lines.findLastIndex((line, at) => at <= end && HEADER.test(line));
      if (header > middle) end = header;
    }
    parts.push(title + lines.slice(start, end).join("\n"));
    start = end;
  }
  return parts;
}

/** Finds the end of the longest run of lines that fits. The run has at least one line. */
export function lastFitting(
  lines: readonly string[],
  start: number,
  { maxTokens, counter, title }: { maxTokens: number; counter: TokenCounter; title: string },
): number {
  let low = start + 1;
  for (let high = lines.length; low < high;) {
    const middle = Math.ceil((low + high) / 2);
    if (counter.count(title + lines.slice(start, middle).join("\n")) <= maxTokens) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** Inserts a part number into a path: `pack.md` becomes `pack.2.md`. */
export function partName(path: string, number: number): string {
  const { dir, name, ext } = parse(path);
  return format({ dir, name: `${name}.${number}`, ext });
}
