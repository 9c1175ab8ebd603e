import { throwIfAborted } from "@ccl/core/async";
import type { SummaryRecord } from "../event/session-event.ts";
import type { Session } from "../session/session.ts";
import { ContextCompilerError } from "../context-compiler-error.ts";
import { failureReason } from "../fit/failure-reason.ts";
import { inTurn } from "./events-in.ts";
import type { ContextEntry, Summarize } from "./working-context.ts";

/** A range of indexes into entries: `from` included, `to` excluded. */
interface EntryRange {
  from: number;
  to: number;
}

interface FoundSummary {
  record: SummaryRecord;
  /** The first entry after the summarized range. */
  to: number;
}

/**
 * Finds the shortest summary that starts with the range and covers all of it. It may extend
 * slightly beyond the range.
 */
export function findSummary(
  session: Session,
  entries: readonly ContextEntry[],
  range: EntryRange,
): SummaryRecord | undefined {
  return summariesFrom(session, entries, range.from).find(({ to }) => to >= range.to)?.record;
}

/** Returns the summaries that start with the same entry, shortest first. */
function summariesFrom(
  session: Session,
  entries: readonly ContextEntry[],
  from: number,
): FoundSummary[] {
  const firstEventId = entries[from]?.eventIds[0];
  const found: FoundSummary[] = [];
  for (const { data } of session.eventLog.filter(["phase_result"])) {
    const { summary: record } = data;
    if (record === undefined || record.fromEventId !== firstEventId) continue;
    const last = entries.findIndex(
      ({ eventIds }, at) => at >= from && eventIds.includes(record.toEventId),
    );
    if (last >= 0) found.push({ record, to: last + 1 });
  }
  return found.sort((a, b) => a.to - b.to);
}

/**
 * Summarizes a range and records the summary in the log. Continues an earlier summary that covers
 * the start of the range. Returns a description of the problem on failure.
 */
export function recordSummary(
  session: Session,
  summarize: Summarize,
  {
    entries,
    range,
    signal,
  }: { entries: readonly ContextEntry[]; range: EntryRange; signal: AbortSignal | undefined },
): Promise<string | undefined> {
  const fromEventId = entries[range.from]?.eventIds[0];
  const toEventId = entries[range.to - 1]?.eventIds.at(-1);
  const write = async (): Promise<string | undefined> => {
    // Another compile may have written the summary in the meantime.
    if (findSummary(session, entries, range) !== undefined) return undefined;
    if (fromEventId === undefined || toEventId === undefined)
      return "the facts were kept: nothing of the log was dropped";
    const earlier = summariesFrom(session, entries, range.from).findLast(
      ({ to }) => to <= range.to,
    );
    const messages = entries
      .slice(earlier?.to ?? range.from, range.to)
      .map(({ message }) => message);
    const previous = { previous: earlier?.record };
    const text = await summarize({ messages, ...previous, signal });
    if (typeof text !== "string" || text.trim() === "")
      return "the facts were kept: the summary was empty";
    await session.record(
      "phase_result",
      { phase: "summary", summary: { text, fromEventId, toEventId } },
      { signal },
    );
    return undefined;
  };
  return inTurn(session, write, signal).catch((error: unknown) => {
    throwIfAborted(signal, ContextCompilerError);
    return `the facts were kept: the summary failed (${failureReason(error)})`;
  });
}
