import { mkdir, readdir, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";

import { resolveInside, unless, systemCode, writeFileDurable } from "@ccl/core/node";

import { quote } from "../../plan-issue.ts";
import { PlanProtocolError } from "../../plan-protocol-error.ts";
import type { PlanTraceSink } from "../../trace/plan-trace.ts";

/** Above this number the traces with the lowest ids are deleted, which are the oldest if ids are UUIDv7. */
const MAX_TRACES = 200;

const TRACE_ID = /^[A-Za-z0-9_-]{1,80}$/;

/**
 * A sink that writes `.ccl/traces/<traceId>.json` below the project's root for each proposal, and keeps the latest 200.
 * Only the owner can read the files, and git ignores them. Does no I/O before the first write.
 */
export function createTraceFiles({ root }: { root: string }): PlanTraceSink {
  return {
    async write(trace) {
      const { trace_id: id } = trace;
      if (!TRACE_ID.test(id))
        throw new PlanProtocolError(
          "invalid_input",
          `${quote(id)} cannot be the name of a trace file.`,
        );
      const place = await resolveInside(root, `.ccl/traces/${id}.json`);
      if (!place.ok)
        throw new PlanProtocolError(
          "invalid_input",
          `Traces cannot be kept in ${quote(root)}: ${place.issues.map(({ message }) => message).join(" ")}`,
        );
      const file = place.value.absolutePath;
      const folder = dirname(file);
      try {
        await mkdir(folder, { recursive: true, mode: 0o700 });
        const ignoring = writeFile(join(folder, ".gitignore"), "*\n", { flag: "wx" });
        await unless(["EEXIST"], ignoring, undefined);
        const text = `${JSON.stringify(trace, undefined, 2)}\n`;
        await writeFileDurable(file, text, { mode: 0o600, durability: "normal" });
        const names = (await readdir(folder)).filter((name) => name.endsWith(".json")).sort();
        for (const name of names.slice(0, -MAX_TRACES))
          await rm(join(folder, name), { force: true });
      } catch (cause) {
        const message = `Could not write a trace in ${folder} (${systemCode(cause) ?? "unexpected"}).`;
        throw new PlanProtocolError("io_failed", message, { cause });
      }
    },
  };
}
