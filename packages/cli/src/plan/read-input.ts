import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { text } from "node:stream/consumers";

import { systemCode } from "@ccl/core/node";

import { usageError } from "../cli-error.ts";
import type { Session } from "../session.ts";

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
    throw usageError(
      `${name} cannot be read (${reason}). Paths are relative to the current folder.`,
      error,
    );
  }
}

async function readStdin({ terminal: { stdin }, signal }: Session, what: string): Promise<string> {
  const read = stdin[Symbol.asyncIterator];
  if (read === undefined) throw usageError(`Name a file with ${what}.`);
  const given = await text({ [Symbol.asyncIterator]: () => read.call(stdin) });
  signal.throwIfAborted();
  return given;
}
