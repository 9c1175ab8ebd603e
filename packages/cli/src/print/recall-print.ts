import { hash } from "node:crypto";
import { lstatSync, readFileSync } from "node:fs";
import { join } from "node:path";

import type { Terminal } from "../session.ts";
import {
  digestOf,
  invocationOf,
  keyOf,
  PRINTED_FILE,
  RECORD_FILE,
  stampOf,
  type PrintSources,
} from "./print-record.ts";

/**
 * The text that `ccl pack` kept for these very arguments, if nothing that it was made from has changed since: it stands
 * for the whole command. Undefined at the least doubt.
 */
export function recallPrint(
  argv: string[],
  { cwd }: Pick<Terminal, "cwd">,
): Uint8Array | undefined {
  try {
    const invocation = invocationOf(argv, cwd());
    if (invocation === undefined) return undefined;
    const { root } = invocation;
    const [key, sources = ""] = readFileSync(join(root, RECORD_FILE), "utf8").split("\n");
    if (key !== keyOf(invocation)) return undefined;
    const { stamps, digests, textDigest }: PrintSources = JSON.parse(sources);
    const isSame =
      stamps.every(([path, stamp]) => stampOf(path) === stamp) &&
      digests.every(([path, digest]) => digestOf(path) === digest);
    const printed = join(root, PRINTED_FILE);
    if (!isSame || !lstatSync(printed).isFile()) return undefined;
    const text = readFileSync(printed);
    return hash("sha256", text) === textDigest ? text : undefined;
  } catch {
    return undefined;
  }
}
