import { appendFileSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";

import type { PlanEvent } from "@ccl/plan-protocol";

import type { Session } from "../session.ts";

/** Appends each event to `.ccl/traces/<id>.jsonl`, which only the owner can read and git ignores. */
export async function openTrace({ root }: Session): Promise<(event: PlanEvent) => void> {
  const folder = join(root, ".ccl", "traces");
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await writeFile(join(folder, ".gitignore"), "*\n");
  return (event) =>
    appendFileSync(join(folder, `${event.trace_id}.jsonl`), `${JSON.stringify(event)}\n`);
}
