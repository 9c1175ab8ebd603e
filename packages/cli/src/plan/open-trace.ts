import { appendFileSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";

import { resolveInside } from "@ccl/core/node";
import type { PlanEvent } from "@ccl/plan-protocol";

import { requireValid } from "../cli-error.ts";
import type { Session } from "../session.ts";

/** Opens `.ccl/traces`, which git ignores. Appends each event to `<id>.jsonl`, which only the owner can read. */
export async function openTrace({ root }: Session): Promise<(event: PlanEvent) => void> {
  const place = requireValid(await resolveInside(root, ".ccl/traces/.gitignore"), root);
  const folder = dirname(place.absolutePath);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await writeFile(place.absolutePath, "*\n");
  return (event) =>
    appendFileSync(join(folder, `${event.trace_id}.jsonl`), `${JSON.stringify(event)}\n`, {
      mode: 0o600,
    });
}
