import { isRecord } from "@ccl/core/json";
import { type Records, RecordsError } from "@ccl/records";

import type { Decision } from "./plan-options.ts";

const prefix = "gateway/decisions/";
const pageEntries = 10_000;

/** A decision and the time it was stored, which shows whether its session has ended. */
type KeptDecision = Decision & { keptAtMs: number };

/** Reads the decisions of a session, oldest first. If a call has two, the later one counts. */
export async function readDecisions(records: Records, session: string): Promise<Decision[]> {
  const decisions: Decision[] = [];
  for (let [from, end] = [0, 1]; from < end; from += pageEntries) {
    const page = await records.readLog(prefix + session, { from, limit: pageEntries });
    decisions.push(...page.entries.filter(isDecision));
    end = page.version;
  }
  return decisions;
}

/** Stores decisions. Resolves once they are stored. */
export async function keepDecisions(
  records: Records,
  session: string,
  decisions: readonly Decision[],
): Promise<void> {
  const keptAtMs = Date.now();
  const entries = decisions.map((decision): KeptDecision => ({ ...decision, keptAtMs }));
  await records.write([{ append: prefix + session, entries }]);
}

/** Returns the sessions with decisions, and the time of each session's last decision. */
export async function decidedSessions(records: Records): Promise<Map<string, number>> {
  const sessions = new Map<string, number>();
  let cursor: string | undefined;
  do {
    const page = await records.listLogs({ prefix, cursor, limit: 1_000 });
    for (const { name } of page.logs)
      sessions.set(name.slice(prefix.length), (await lastOf(records, name)).keptAtMs);
    ({ cursor } = page);
  } while (cursor !== undefined);
  return sessions;
}

/** Removes the decisions of sessions that have had none since the given time. */
export async function forgetDecisions(
  records: Records,
  sessions: readonly string[],
  sinceMs: number,
): Promise<void> {
  for (const session of sessions) {
    const removeLog = prefix + session;
    const { version, keptAtMs } = await lastOf(records, removeLog);
    if (keptAtMs >= sinceMs) continue;
    await records.write([{ removeLog, expectedVersion: version }]).catch((error: unknown) => {
      // The session has resumed in the meantime.
      if (!RecordsError.isInstance(error) || error.code !== "conflict") throw error;
    });
  }
}

async function lastOf(
  records: Records,
  log: string,
): Promise<{ version: number; keptAtMs: number }> {
  const { version } = await records.readLog(log, { from: Number.MAX_SAFE_INTEGER });
  const { entries } = await records.readLog(log, { from: Math.max(0, version - 1) });
  const last = entries.at(-1);
  const keptAtMs = isRecord(last) ? Number(last["keptAtMs"] ?? 0) : 0;
  return { version, keptAtMs };
}

function isDecision(value: unknown): value is KeptDecision {
  return (
    isRecord(value) &&
    typeof value["at"] === "string" &&
    typeof value["credit"] === "number" &&
    Array.isArray(value["edits"])
  );
}
