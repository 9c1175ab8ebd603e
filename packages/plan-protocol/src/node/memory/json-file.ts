import { assertNotAborted, PlanProtocolError } from "../../plan-protocol-error.ts";
import { lstat, mkdir, readFile } from "node:fs/promises";
import { dirname, join } from "node:path";

import { isRecord, parseJson } from "@ccl/core/json";
import { systemCode, writeFileDurable } from "@ccl/core/node";

import { withLockFile } from "../lock/with-lock-file.ts";

const MAX_BYTES = 256 * 1024;

/**
 * Reads a JSON object from a file. Empty if the file does not exist.
 * @throws PlanProtocolError `memory_corrupt`, `io_failed`
 */
export async function readJsonFile(
  path: string,
  signal: AbortSignal | undefined,
): Promise<Record<string, unknown>> {
  assertNotAborted(signal);
  let text: string;
  try {
    const status = await lstat(path);
    if (status.isFile() && status.size > MAX_BYTES)
      throw corrupt(path, `has more than ${MAX_BYTES} bytes`);
    text = await readFile(path, { encoding: "utf8", signal });
  } catch (error) {
    assertNotAborted(signal);
    if (PlanProtocolError.isInstance(error)) throw error;
    if (systemCode(error) === "ENOENT") return {};
    throw ioFailed("read", path, error);
  }
  const value = parseJson(text.replace(/^\uFEFF/, ""));
  if (!isRecord(value)) throw corrupt(path, "does not hold a JSON object");
  return value;
}

/**
 * Changes the object in a file, which is replaced atomically, while no other process can. The lock file is in the same
 * folder. With `isPrivate` only the owner can read the file.
 * @throws PlanProtocolError `memory_corrupt`, `io_failed`, `workspace_busy`, `aborted`
 */
export async function updateJsonFile(
  path: string,
  { isPrivate, signal }: { isPrivate: boolean; signal: AbortSignal | undefined },
  changes: Record<string, unknown>,
): Promise<void> {
  const folder = dirname(path);
  try {
    await mkdir(folder, { recursive: true, mode: isPrivate ? 0o700 : undefined });
    await withLockFile(join(folder, "lock"), { signal }, async () => {
      const value = { ...(await readJsonFile(path, signal)), ...changes };
      const text = `${JSON.stringify(value, undefined, 2)}\n`;
      await writeFileDurable(path, text, { mode: isPrivate ? 0o600 : undefined, signal });
    });
  } catch (error) {
    assertNotAborted(signal);
    throw PlanProtocolError.isInstance(error) ? error : ioFailed("write", path, error);
  }
}

function corrupt(path: string, problem: string): PlanProtocolError {
  const message = `The memory file ${path} ${problem}. Repair it or move it away; it was left as it is.`;
  return new PlanProtocolError("memory_corrupt", message, { details: { path } });
}

function ioFailed(what: "read" | "write", path: string, cause: unknown): PlanProtocolError {
  const reason = systemCode(cause) ?? (cause instanceof Error ? cause.message : "unexpected");
  return new PlanProtocolError("io_failed", `Could not ${what} ${path} (${reason}).`, { cause });
}
