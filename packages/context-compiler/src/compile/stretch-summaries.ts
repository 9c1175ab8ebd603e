import type { SummaryRecord } from "../session/session-event.ts";
import type { Session } from "../session/session.ts";
import { throwIfAborted } from "../session-store/until-aborted.ts";
import { failureReason } from "./failure-reason.ts";
import { inTurn } from "./in-turn.ts";
import { logIndexOf } from "./log-index.ts";
import type { ContextEntry, Summarize } from "./working-context.ts";

/** Indexes into entries: from `from` on, below `to`. */
interface Stretch {
  from: number;
  to: number;
}

interface FoundSummary {
  record: SummaryRecord;
  /** The first entry that the summary does not stand for. */
  to: number;
}

/** The summary that stands for the whole stretch and, at most, for a little after it. */
export function findSummary(
  session: Session,
  entries: readonly ContextEntry[],
  stretch: Stretch,
): SummaryRecord | undefined {
  return summariesFrom(session, entries, stretch.from).find(({ to }) => to >= stretch.to)?.record;
}

/** Those that begin with the same entry, the shortest first. */
function summariesFrom(
  session: Session,
  entries: readonly ContextEntry[],
  from: number,
): FoundSummary[] {
  const firstEventId = entries[from]?.eventIds[0];
  const found: FoundSummary[] = [];
  for (const record of logIndexOf(session).summaries) {
    if (record.fromEventId !== firstEventId) continue;
    const last = entries.findIndex(
      ({ eventIds }, at) => at >= from && eventIds.includes(record.toEventId),
    );
    if (last >= 0) found.push({ record, to: last + 1 });
  }
  return found.sort((a, b) => a.to - b.to);
}

/** Has a stretch summed up, on top of an earlier summary of its beginning, and keeps that in the log; or what went wrong. */
export function recordSummary(
  session: Session,
  summarize: Summarize,
  {
    entries,
    stretch,
    signal,
  }: { entries: readonly ContextEntry[]; stretch: Stretch; signal: AbortSignal | undefined },
): Promise<string | undefined> {
  const fromEventId = entries[stretch.from]?.eventIds[0];
  const toEventId = entries[stretch.to - 1]?.eventIds.at(-1);
  const abort = signal === undefined ? {} : { signal };
  const write = async (): Promise<string | undefined> => {
    // Another compile may have had it written meanwhile.
    if (findSummary(session, entries, stretch) !== undefined) return undefined;
    if (fromEventId === undefined || toEventId === undefined)
      return "the facts were kept: nothing of the log was dropped";
    const earlier = summariesFrom(session, entries, stretch.from).findLast(
      ({ to }) => to <= stretch.to,
    );
    const messages = entries
      .slice(earlier?.to ?? stretch.from, stretch.to)
      .map(({ message }) => message);
    const previous = earlier === undefined ? {} : { previous: earlier.record };
    const text = await summarize({ messages, ...previous, ...abort });
    if (typeof text !== "string" || text.trim() === "")
      return "the facts were kept: the summary was empty";
    await session.record(
      "phase_result",
      { phase: "summary", summary: { text, fromEventId, toEventId } },
      abort,
    );
    return undefined;
  };
  return inTurn(session, write, signal).catch((error: unknown) => {
    throwIfAborted(signal);
    return `the facts were kept: the summary failed (${failureReason(error)})`;
  });
}
