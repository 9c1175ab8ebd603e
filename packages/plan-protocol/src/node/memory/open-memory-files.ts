import type { Abortable } from "../../workspace/plan-workspace.ts";
import { mkdir } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";

import { resolveInside, systemCode } from "@ccl/core/node";

import {
  applyMemoryPatch,
  type MemoryPatchOutcome,
  readMemory,
} from "../../memory/apply-memory-patch.ts";
import type { PlanMemory } from "../../memory/plan-memory.ts";
import { PlanProtocolError } from "../../plan-protocol-error.ts";
import type { MemorySource } from "../../session/plan-session.ts";
import { withLockFile } from "../lock/workspace-lock.ts";
import { ioFailed, readJsonFile, writeJsonFile } from "./json-file.ts";

const LOCK_TIMEOUT_MS = 10_000;

/** Where memory is stored. */
export interface MemoryFilesOptions {
  /** The folder of one person's preferences, outside of any project. Holds `preferences.json`. */
  userDirectory: string;
  /** The project's root. Holds `.ccl/project.json`. */
  root: string;
}

/** Memory in two files. Pass it to a session as its `memory`. */
export interface MemoryFiles extends MemorySource {
  readonly userFile: string;
  readonly projectFile: string;
  /** The valid part of both files. @throws PlanProtocolError `memory_corrupt`, `io_failed`, `aborted` */
  read(options?: Abortable): Promise<PlanMemory>;
  /** The same, with every key that is unknown or has a value of the wrong kind. */
  inspect(options?: Abortable): Promise<MemoryPatchOutcome>;
  /**
   * Sets the valid keys of a patch and durably writes the files that change. The rest of the files stays unchanged.
   * Call it only if the user agreed. Processes that patch the same files wait for each other.
   * @throws PlanProtocolError `memory_corrupt`, `io_failed`, `workspace_busy`, `aborted`
   */
  patch(patch: Readonly<Record<string, unknown>>, options?: Abortable): Promise<MemoryPatchOutcome>;
  /** Waits for pending writes. */
  close(): Promise<void>;
}

type Patch = Readonly<Record<string, unknown>>;

interface Layers {
  user: Record<string, unknown>;
  project: Record<string, unknown>;
}

/**
 * Opens memory and reads it once.
 * @throws PlanProtocolError `memory_corrupt`, `io_failed`, `invalid_input`, `aborted`
 */
export async function openMemoryFiles(
  { userDirectory, root }: MemoryFilesOptions,
  { signal }: Abortable = {},
): Promise<MemoryFiles> {
  const userFile = join(resolve(userDirectory), "preferences.json");
  const projectFile = await projectFileIn(root, signal);
  const underWay = new Set<Promise<unknown>>();

  const load = async (at: AbortSignal | undefined): Promise<Layers> => ({
    user: await readJsonFile(userFile, at),
    project: await readJsonFile(projectFile, at),
  });
  const inspect = async (at: AbortSignal | undefined): Promise<MemoryPatchOutcome> => {
    const { user, project } = await load(at);
    return readMemory(user, project);
  };
  const patchNow = async (
    patch: Patch,
    at: AbortSignal | undefined,
  ): Promise<MemoryPatchOutcome> => {
    // Which keys are valid does not depend on the files, so a patch without valid keys writes nothing.
    const { applied } = applyMemoryPatch({ user: {}, project: {} }, patch);
    const files = [
      { layer: "user" as const, path: userFile, isPrivate: true },
      { layer: "project" as const, path: projectFile, isPrivate: false },
    ].filter(({ layer }) => applied.some((key) => key.startsWith(`${layer}.`)));
    const write = async (): Promise<MemoryPatchOutcome> => {
      const layers = await load(at);
      const outcome = applyMemoryPatch(readMemory(layers.user, layers.project).memory, patch);
      for (const { layer, path, isPrivate } of files) {
        for (const key of applied.filter((one) => one.startsWith(`${layer}.`)))
          layers[layer][key.slice(layer.length + 1)] = patch[key];
        await writeJsonFile(path, layers[layer], { isPrivate, signal: at });
      }
      return outcome;
    };
    // Both files may be in one folder, which has one lock.
    const folders = new Map(files.toReversed().map((file) => [dirname(file.path), file]));
    const locked = [...folders.values()].reduce(
      (inner, file) => () => withMemoryLock({ ...file, signal: at }, inner),
      write,
    );
    return locked();
  };

  await load(signal);
  return {
    userFile,
    projectFile,
    read: async (options = {}) => (await inspect(options.signal)).memory,
    inspect: (options = {}) => inspect(options.signal),
    patch(patch, options = {}) {
      const written = patchNow(patch, options.signal);
      underWay.add(written);
      return written.finally(() => underWay.delete(written));
    },
    close: async () => void (await Promise.allSettled(underWay)),
  };
}

/** Runs a call while no other process can patch the file. The lock file is in the same folder. */
async function withMemoryLock<Value>(
  {
    path,
    isPrivate,
    signal,
  }: { path: string; isPrivate: boolean; signal: AbortSignal | undefined },
  call: () => Promise<Value>,
): Promise<Value> {
  const lock = join(dirname(path), "lock");
  try {
    await mkdir(dirname(path), { recursive: true, mode: isPrivate ? 0o700 : undefined });
    return await withLockFile(lock, { name: lock, waitMs: LOCK_TIMEOUT_MS, signal }, call);
  } catch (error) {
    throw systemCode(error) === undefined || PlanProtocolError.isInstance(error)
      ? error
      : ioFailed("write", path, error);
  }
}

/** Checks that a link at `.ccl` does not lead out of the project. */
async function projectFileIn(root: string, signal: AbortSignal | undefined): Promise<string> {
  const place = await resolveInside(
    root,
    ".ccl/project.json",
    signal === undefined ? {} : { signal },
  );
  if (place.ok) return place.value.absolutePath;
  const message = place.issues.map((issue) => issue.message).join(" ");
  throw new PlanProtocolError(
    "invalid_input",
    `The project's memory cannot be kept in ${root}: ${message}`,
  );
}
