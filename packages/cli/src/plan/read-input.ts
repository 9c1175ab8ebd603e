import { readFile } from "node:fs/promises";
import { resolve } from "node:path";

import { systemCode } from "@ccl/core/node";

import { usageError } from "../cli-error.ts";
import type { Session } from "../session.ts";

/** Upper limit of an input: a plan holds up to 5 MB of contents, and JSON may take six bytes per character. */
const MAX_BYTES = 64 * 1024 * 1024;

/** Reads a file, or stdin for `-`. Without a name, reads stdin if something is piped in. */
export async function readInput(
  session: Session,
  name: string | undefined,
  what: string,
): Promise<string> {
  const isPiped = name === "-" || (name === undefined && session.terminal.stdin.isTTY !== true);
  if (isPiped) return readStdin(session, what);
  if (name === undefined) throw usageError(`Name a file with ${what}, or pipe it in.`);
  const path = resolve(session.terminal.cwd(), name);
  try {
    return await readFile(path, { encoding: "utf8", signal: session.signal });
  } catch (error) {
    session.signal.throwIfAborted();
    const reason = systemCode(error) ?? "unreadable";
    throw usageError(`${name} cannot be read (${reason}).`, error);
  }
}

async function readStdin({ terminal: { stdin }, signal }: Session, what: string): Promise<string> {
  const read = stdin[Symbol.asyncIterator];
  if (read === undefined) throw usageError(`Name a file with ${what}.`);
  const pieces: Uint8Array[] = [];
  let size = 0;
  for await (const piece of { [Symbol.asyncIterator]: () => read.call(stdin) }) {
    signal.throwIfAborted();
    const bytes = typeof piece === "string" ? new TextEncoder().encode(piece) : piece;
    size += bytes.length;
    if (size > MAX_BYTES)
      throw usageError(`More than ${MAX_BYTES} bytes were piped in: too much for ${what}.`);
    pieces.push(bytes);
  }
  return Buffer.concat(pieces).toString("utf8");
}
