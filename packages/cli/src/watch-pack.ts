import { setTimeout } from "node:timers/promises";

import type { ScanRules } from "@ccl/aliases";

import { formatCount } from "./output/format-number.ts";
import { withFreshScan } from "./project.ts";
import type { Session } from "./session.ts";

const EVERY_MS = 700;

/** Runs `build` now and after each change to the selected files, until the user interrupts. */
export async function watchPack(
  session: Session,
  rules: Pick<ScanRules, "include" | "ignore">,
  build: () => Promise<string>,
): Promise<never> {
  const { signal, terminal } = session;
  return await withFreshScan(session, rules, async (registry) => {
    for (let cause = "watching"; ;) {
      const line = await build();
      session.progress.clear();
      terminal.stderr.write(`${line} (${cause})\n`);
      for (cause = ""; cause === "";) {
        await setTimeout(EVERY_MS, undefined, { signal });
        const { added, updated, moved, removed } = await registry.scan({ ...rules, signal });
        const count = added.length + updated.length + moved.length + removed.length;
        if (count > 0) cause = `${formatCount(count, "file")} changed`;
      }
    }
  });
}
