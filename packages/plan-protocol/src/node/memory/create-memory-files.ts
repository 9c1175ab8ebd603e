import { mkdir, readFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";

import { isRecord, parseJson } from "@ccl/core/json";
import { resolveInside, systemCode, unless, writeFileDurable } from "@ccl/core/node";

import {
  applyMemoryPatch,
  type MemoryPatchOutcome,
  readMemory,
} from "../../memory/apply-memory-patch.ts";
import type { PlanMemory } from "../../memory/plan-memory.ts";
import { assertNotAborted, PlanProtocolError } from "../../plan-protocol-error.ts";
import type { MemorySource } from "../../session/plan-session.ts";
import type { Abortable } from "../../workspace/plan-workspace.ts";
import { withLockFile } from "../lock/with-lock-file.ts";

/** Where memory is stored. */
export interface MemoryFilesOptions {
  /** Folder of the user's preferences, outside any project. Contains `preferences.json`. */
  userDirectory: string;
  /** The project root. Contains `.ccl/project.json`. */
  root: string;
}

/** Memory stored in two files. Pass it to a session as `memory`. */
export interface MemoryFiles extends MemorySource {
  readonly userFile: string;
  readonly projectFile: string;
  /**
   * Returns the valid part of both files.
   * @throws PlanProtocolError `memory_corrupt`, `io_failed`, `invalid_input` for a link out of the project, `aborted`
   */
  read(options?: Abortable): Promise<PlanMemory>;
  /** Like `read`, but also lists every key that is unknown or has a value of the wrong type. */
  inspect(options?: Abortable): Promise<MemoryPatchOutcome>;
  /**
   * Sets the valid keys of a patch and durably writes the changed files. Everything else in them stays as it is. Call
   * it only with the user's consent. Processes that patch the same files wait for each other.
   * @throws PlanProtocolError as `read`, and `workspace_busy`
   */
  patch(patch: Readonly<Record<string, unknown>>, options?: Abortable): Promise<MemoryPatchOutcome>;
}

/** Creates memory backed by files. Does no I/O until the first call. */
export function createMemoryFiles({ userDirectory, root }: MemoryFilesOptions): MemoryFiles {
  const userFile = join(resolve(userDirectory), "preferences.json");
  const projectFile = join(resolve(root), ".ccl", "project.json");
  const inspect = async ({ signal }: Abortable = {}): Promise<MemoryPatchOutcome> =>
    readMemory({
      user: await readFields(userFile, signal),
      project: await readFields(await placeIn(root), signal),
    });
  return {
    userFile,
    projectFile,
    inspect,
    read: async (options) => (await inspect(options)).memory,
    async patch(patch, { signal } = {}) {
      // Nothing is written if either file is invalid JSON.
      await inspect({ signal });
      const { memory, applied, rejected } = applyMemoryPatch({ user: {}, project: {} }, patch);
      await setFields(userFile, { ...memory.user }, { isPrivate: true, signal });
      await setFields(await placeIn(root), { ...memory.project }, { isPrivate: false, signal });
      return { memory: (await inspect({ signal })).memory, applied, rejected };
    },
  };
}

/** Returns the real path of the project's file. A link at `.ccl` must not lead out of the project. */
async function placeIn(root: string): Promise<string> {
  const place = await resolveInside(root, ".ccl/project.json");
  if (place.ok) return place.value.absolutePath;
  const message = place.issues.map((issue) => issue.message).join(" ");
  throw new PlanProtocolError(
    "invalid_input",
    `The project's memory cannot be stored in ${root}: ${message}`,
  );
}

const MAX_CHARS = 256 * 1024;

/** Reads a file's JSON object. Returns an empty one if there is no file. */
function readFields(
  path: string,
  signal: AbortSignal | undefined,
): Promise<Record<string, unknown>> {
  return withErrors(path, signal, async () => {
    const text = await unless(["ENOENT"], readFile(path, { encoding: "utf8", signal }), "{}");
    const fields = parseJson(text.replace(/^\uFEFF/, ""));
    if (isRecord(fields) && text.length <= MAX_CHARS) return fields;
    const problem = isRecord(fields)
      ? `has more than ${MAX_CHARS} characters`
      : "does not contain a JSON object";
    throw new PlanProtocolError(
      "memory_corrupt",
      `The memory file ${path} ${problem}. Fix it or move it away. It was not changed.`,
      { details: { path } },
    );
  });
}

/**
 * Sets fields of the object in a file, replacing the file atomically. A lock file in the same folder keeps other
 * processes out meanwhile. With `isPrivate`, only the owner can read the file.
 */
async function setFields(
  path: string,
  fields: Record<string, unknown>,
  { isPrivate, signal }: { isPrivate: boolean; signal: AbortSignal | undefined },
): Promise<void> {
  if (Object.keys(fields).length === 0) return;
  const folder = dirname(path);
  await withErrors(path, signal, async () => {
    await mkdir(folder, { recursive: true, mode: isPrivate ? 0o700 : undefined });
    await withLockFile(join(folder, "lock"), { signal }, async () => {
      const all = { ...(await readFields(path, signal)), ...fields };
      const text = `${JSON.stringify(all, undefined, 2)}\n`;
      await writeFileDurable(path, text, { mode: isPrivate ? 0o600 : undefined, signal });
    });
  });
}

/** Converts system errors to this package's error, which names the file. */
async function withErrors<Value>(
  path: string,
  signal: AbortSignal | undefined,
  work: () => Promise<Value>,
): Promise<Value> {
  try {
    assertNotAborted(signal);
    return await work();
  } catch (cause) {
    assertNotAborted(signal);
    if (PlanProtocolError.isInstance(cause)) throw cause;
    const reason = systemCode(cause) ?? (cause instanceof Error ? cause.message : "unexpected");
    throw new PlanProtocolError("io_failed", `Could not read or write ${path} (${reason}).`, {
      cause,
    });
  }
}
