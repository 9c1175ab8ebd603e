import { appendFile, mkdir, readFile } from "node:fs/promises";
import { join } from "node:path";

import { unless } from "@ccl/core/node";

import { readDecision } from "../decide/read-decision.ts";
import type { DecisionStore } from "../gateway/decision-store.ts";

/** Decisions in a folder, a file for each session and a line for each decision; a line that a crash cut off is passed over. */
export async function openFileDecisionStore(folder: string): Promise<DecisionStore> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const fileOf = (session: string): string => join(folder, `${session}.jsonl`);
  return {
    read: async (session) => {
      const text = await unless(["ENOENT"], readFile(fileOf(session), "utf8"), "");
      return text.split("\n").flatMap(readDecision);
    },
    add: async (session, decisions) => {
      // A line of its own even after one that was cut off.
      const lines = decisions.map((decision) => `\n${JSON.stringify(decision)}\n`);
      await appendFile(fileOf(session), lines.join(""), { mode: 0o600 });
    },
  };
}
