import { relative, resolve } from "node:path";

import { readInput } from "./plan/read-input.ts";
import type { Session } from "./session.ts";

/** Paths from stdin, one a line or parted by NUL, relative to the current folder, as paths below the root. */
export async function readListedPaths(session: Session): Promise<ReadonlySet<string>> {
  const text = await readInput(session, "-", "paths");
  const paths = text.split(text.includes("\0") ? "\0" : /\r?\n/).filter((path) => path !== "");
  const cwd = session.terminal.cwd();
  return new Set(
    paths.map((path) => relative(session.root, resolve(cwd, path)).replaceAll("\\", "/")),
  );
}
