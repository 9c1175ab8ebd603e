import { mkdir, readdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { resolveInside, systemCode, writeFileDurable } from "@ccl/core/node";

import { quote } from "../../plan-issue.ts";
import { PlanProtocolError } from "../../plan-protocol-error.ts";
import type { PlanTraceSink } from "../../trace/plan-trace.ts";

/** Where traces are stored, and how many. */
export interface TraceFilesOptions {
  /** The project's root. */
  root: string;
  /** Relative to the root. Default `.ccl/traces`. */
  directory?: string | undefined;
  /** Whether traces include the model's answers. Default false. Secrets in them are masked either way. */
  includesRawAnswers?: boolean | undefined;
  /** Default 200. Above it the traces with the lowest ids are deleted, which are the oldest if ids are UUIDv7. */
  maxTraces?: number | undefined;
}

const TRACE_ID = /^[A-Za-z0-9_-]{1,80}$/;

/**
 * A sink that writes `<traceId>.json` for each proposal. Only the owner can read the files, and git ignores them. Does
 * no I/O before the first write.
 */
export function createTraceFiles(options: TraceFilesOptions): PlanTraceSink {
  const { root, directory = ".ccl/traces", includesRawAnswers = false, maxTraces = 200 } = options;
  return {
    includesRawAnswers,
    async write(trace) {
      if (!TRACE_ID.test(trace.trace_id))
        throw new PlanProtocolError(
          "invalid_input",
          `${quote(trace.trace_id)} cannot be the name of a trace file.`,
        );
      const folder = await openFolder(root, directory);
      try {
        await writeFileDurable(
          join(folder, `${trace.trace_id}.json`),
          `${JSON.stringify(trace, undefined, 2)}\n`,
          {
            mode: 0o600,
            durability: "normal",
          },
        );
        await removeOldest(folder, maxTraces);
      } catch (error) {
        throw ioFailed(folder, error);
      }
    },
  };
}

async function openFolder(root: string, directory: string): Promise<string> {
  const place = await resolveInside(root, directory);
  if (!place.ok) {
    const message = place.issues.map((issue) => issue.message).join(" ");
    throw new PlanProtocolError(
      "invalid_input",
      `Traces cannot be kept in ${quote(directory)}: ${message}`,
    );
  }
  const folder = place.value.absolutePath;
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await writeFile(join(folder, ".gitignore"), "*\n", { flag: "wx" }).catch((error: unknown) => {
      if (systemCode(error) !== "EEXIST") throw error;
    });
    return folder;
  } catch (error) {
    throw ioFailed(folder, error);
  }
}

async function removeOldest(folder: string, maxTraces: number): Promise<void> {
  const names = (await readdir(folder)).filter((name) => name.endsWith(".json")).sort();
  for (const name of names.slice(0, Math.max(0, names.length - maxTraces)))
    await rm(join(folder, name), { force: true });
}

function ioFailed(folder: string, cause: unknown): PlanProtocolError {
  return new PlanProtocolError(
    "io_failed",
    `Could not write a trace in ${folder} (${systemCode(cause) ?? "unexpected"}).`,
    {
      cause,
    },
  );
}
