import { readdir, readFile, rm, stat } from "node:fs/promises";
import { join } from "node:path";

import { unless } from "@ccl/core/node";

import { sharedState } from "../artifact-folder.ts";
import { CliError } from "../cli-error.ts";
import type { CommandResult } from "../output/command-result.ts";
import { formatCount, formatNumber } from "../output/format-number.ts";
import type { Session } from "../session.ts";
import { allHandles, withStore } from "./artifacts.ts";

/** Flags of `ccl artifacts prune`. */
export interface PruneFlags {
  days: number;
  state?: string | undefined;
  dryRun?: boolean | undefined;
}

const dayMs = 86_400_000;
/** Where the proxy keeps how it shows results, a file a session. */
const decisionFolders = ["decisions", "service-decisions"];
/** The shortest name of an artifact that a prompt shows. */
const idDigits = 12;

/**
 * Removes artifacts that were kept before some days, but for those that a session shows which had a request since then. An
 * artifact that is kept anew meanwhile stays. What a proxy decided for older sessions goes too.
 */
export async function artifactsPrune(session: Session, flags: PruneFlags): Promise<CommandResult> {
  const { days, dryRun = false, state } = flags;
  // What sessions show is read from files.
  if (state === undefined && (session.terminal.env[sharedState] ?? "") !== "")
    throw new CliError(
      "usage",
      `A database that proxies share (${sharedState}) can't be pruned yet: give the folder with --state.`,
    );
  const { signal } = session;
  const before = Date.now() - days * dayMs;
  return withStore(session, flags, async (store, path) => {
    const handles = await allHandles(store);
    const sessions = await readSessions(path, before);
    const old = handles.filter(({ createdAt }) => createdAt < before);
    const gone = old.filter(({ artifactId }) => !sessions.shown.has(artifactId.slice(0, idDigits)));
    const bytes = gone.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
    if (!dryRun) {
      for (const { artifactId, handleId } of gone)
        await store.delete(artifactId, { handleId, signal });
      await store.collectGarbage({ graceMs, signal });
      for (const file of sessions.ended) await rm(file, { force: true });
    }
    const kept = old.length - gone.length;
    const document = { removed: gone.length, kept, bytes, sessions: sessions.ended.length };
    const done = dryRun ? "would remove" : "removed";
    const counts = `${formatCount(gone.length, "artifact")} (${formatNumber(bytes)} bytes) and the decisions of ${formatCount(sessions.ended.length, "session")}`;
    const text = `${done} ${counts}; ${kept} old ones stay, since sessions of the last ${days} days show them\n`;
    return { document: { ...document, dryRun }, text: () => text };
  });
}

/** What is being kept at this moment stays; the space of what was removed is free from a later run on. */
const graceMs = 600_000;

/** Names that sessions show which had a request since then, and files of the others. */
async function readSessions(
  path: string,
  since: number,
): Promise<{ shown: ReadonlySet<string>; ended: string[] }> {
  const live: string[] = [];
  const ended: string[] = [];
  for (const folder of decisionFolders)
    for (const name of await unless(["ENOENT"], readdir(join(path, folder)), [])) {
      const file = join(path, folder, name);
      const { mtimeMs } = await stat(file);
      if (mtimeMs < since) ended.push(file);
      else live.push(await readFile(file, "utf8"));
    }
  return { shown: new Set(live.flatMap(namesIn)), ended };
}

function namesIn(text: string): string[] {
  const ids = text.match(/\b[0-9a-f]{12,64}\b/g) ?? [];
  return ids.map((id) => id.slice(0, idDigits));
}
