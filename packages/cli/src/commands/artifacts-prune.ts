import type { ArtifactHandle } from "@ccl/artifact-store";
import { decidedSessions, forgetDecisions, readDecisions } from "@ccl/gateway";

import type { CommandResult } from "../output/command-result.ts";
import { formatCount, formatNumber } from "../output/format-number.ts";
import type { Session } from "../session.ts";
import { allHandles, withState } from "./artifacts.ts";

/** Flags of `ccl artifacts prune`. */
export interface PruneFlags {
  days: number;
  state?: string | undefined;
  dryRun?: boolean | undefined;
}

const dayMs = 86_400_000;
/** The shortest name of an artifact that a prompt shows. */
const idDigits = 12;

/**
 * Removes artifacts that were kept before some days, but for those that a session shows which had a request since then. An
 * artifact that is kept anew meanwhile stays. What proxies decided for older sessions goes too.
 */
export async function artifactsPrune(session: Session, flags: PruneFlags): Promise<CommandResult> {
  const { days, dryRun = false } = flags;
  const { signal } = session;
  const before = Date.now() - days * dayMs;
  return withState(session, flags, async ({ store, kind, decisions: openDecisions }) => {
    const decisions = await openDecisions();
    const sessions = [...(await decidedSessions(decisions))];
    const ended = sessions.flatMap(([one, last]) => (last < before ? [one] : []));
    // First, so that a session that comes back finds nothing decided, and keeps anew what it shows.
    if (!dryRun) await forgetDecisions(decisions, ended, before);
    const shown = new Set<string>();
    for (const [one] of sessions.filter(([, last]) => last >= before))
      for (const name of namesIn(JSON.stringify(await readDecisions(decisions, one))))
        shown.add(name);
    await decisions.close();
    const old = (await allHandles(store)).filter(
      (handle) => handle.createdAt < before && (kind !== "postgres" || isOfCcl(handle)),
    );
    const gone = old.filter(({ artifactId }) => !shown.has(artifactId.slice(0, idDigits)));
    const bytes = gone.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
    if (!dryRun) {
      for (const { artifactId, handleId } of gone)
        await store.delete(artifactId, { handleId, signal });
      await store.collectGarbage({ graceMs, signal });
    }
    const kept = old.length - gone.length;
    const document = { removed: gone.length, kept, bytes, sessions: ended.length };
    const done = dryRun ? "would remove" : "removed";
    const counts = `${formatCount(gone.length, "artifact")} (${formatNumber(bytes)} bytes) and the decisions of ${formatCount(ended.length, "session")}`;
    const text = `${done} ${counts}; ${kept} old ones stay, since sessions of the last ${days} days show them\n`;
    return { document: { ...document, dryRun }, text: () => text };
  });
}

/** What is being kept at this moment stays; the space of what was removed is free from a later run on. */
const graceMs = 600_000;

/** What a proxy or `ccl shrink` kept: an application may keep artifacts in the same database. */
function isOfCcl({ source, sessionId }: ArtifactHandle): boolean {
  return (
    source === "ccl shrink" ||
    (source.startsWith("tool:") && /^[0-9a-f]{64}$/.test(sessionId ?? ""))
  );
}

function namesIn(text: string): string[] {
  const ids = text.match(/\b[0-9a-f]{12,64}\b/g) ?? [];
  return ids.map((id) => id.slice(0, idDigits));
}
