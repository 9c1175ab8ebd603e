import { appendFile, mkdir, readdir, readFile, rm, stat } from "node:fs/promises";
import { join } from "node:path";

import { unless } from "@ccl/core/node";

import { readDecisions } from "../decide/read-decisions.ts";
import type { PrunableDecisionStore } from "../gateway/decision-store.ts";

/** Decisions in a folder, a file for each session and a line for each decision; a line that a crash cut off is passed over. */
export async function openFileDecisionStore(folder: string): Promise<PrunableDecisionStore> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const lastOf = async (session: string): Promise<number> =>
    await unless(
      ["ENOENT"],
      stat(fileOf(session)).then(({ mtimeMs }) => mtimeMs),
      0,
    );
  const fileOf = (session: string): string => join(folder, `${session}.jsonl`);
  return {
    read: async (session) =>
      readDecisions(await unless(["ENOENT"], readFile(fileOf(session), "utf8"), "")),
    add: async (session, decisions) => {
      // A line of its own even after one that was cut off.
      const lines = decisions.map((decision) => `\n${JSON.stringify(decision)}\n`);
      await appendFile(fileOf(session), lines.join(""), { mode: 0o600 });
    },
    sessions: async () => {
      const names = (await readdir(folder)).filter((name) => name.endsWith(".jsonl"));
      const sessions = names.map((name) => name.slice(0, -".jsonl".length));
      return new Map(
        await Promise.all(sessions.map(async (one) => [one, await lastOf(one)] as const)),
      );
    },
    forget: async (sessions, sinceMs) => {
      for (const session of sessions)
        if ((await lastOf(session)) < sinceMs) await rm(fileOf(session), { force: true });
    },
  };
}
