import { truncateMiddle, type TokenCounter } from "@ccl/core";
import { throwIfAborted, withTimeout } from "@ccl/core/async";
import { traced } from "@ccl/core/tracing";
import { createMessageMeter } from "../fit/message-meter.ts";
import { textOf } from "../fit/message-texts.ts";
import { requireNumbers } from "../fit/require-that.ts";
import { eventMessage } from "../session/event-message.ts";
import { maskDraft } from "../session/prepare-draft.ts";
import { redactOf } from "../session/recording-session.ts";
import type { Redact } from "../session/redact-data.ts";
import type { Session } from "../session/session.ts";
import { ContextCompilerError } from "../context-compiler-error.ts";
import type { ContextProcessor } from "./context-processor.ts";
import { failureReason } from "../fit/failure-reason.ts";
import type { MemoryHit, MemoryService } from "./memory-service.ts";
import { memoryMessage } from "./prompt-parts.ts";
import type { WorkingContext } from "./working-context.ts";

/** Which memory to search, and how much of it to show. */
interface MemoryPreloaderOptions {
  /** If absent, shows only hits recorded since the last user input. */
  memory?: MemoryService | undefined;
  /** Maximum number of hits. 50 by default. */
  topK?: number | undefined;
  /** Token limit for all hits combined. A quarter of the budget by default. */
  maxTokens?: number | undefined;
  /** Time limit for the search, in milliseconds. 2,000 by default. */
  timeoutMs?: number | undefined;
}

/**
 * Searches the memory with the user's latest message. If the search fails or times out, compilation
 * continues without it. Hits without an id or text are left out. The trace reports both. Secrets in
 * hits are masked as in session events.
 */
export function memoryPreloader(options: MemoryPreloaderOptions = {}): ContextProcessor {
  requireNumbers("memoryPreloader", options, "topK", "maxTokens", "timeoutMs");
  const { memory, topK = 50, timeoutMs = 2_000 } = options;
  return {
    name: "memoryPreloader",
    async process({ session, context, budget, counter, signal }) {
      const maxTokens = options.maxTokens ?? Math.floor(budget / 4);
      const query = memory === undefined ? "" : latestUserText(session);
      const shouldSearch = memory !== undefined && query !== "";
      const found = shouldSearch
        ? await search(memory, query, { topK, timeoutMs, signal })
        : { answer: [], remarks: [] };
      const visible = visibleEventIds(context, counter);
      const redact = redactOf(session);
      const read = found.answer.flatMap((hit) => readHit(hit, visible, redact));
      const { hits, remarks } = fitHits([...recordedHits(session), ...read], {
        topK,
        maxTokens,
        counter,
      });
      const allRemarks = [...found.remarks, ...remarks];
      return hits.length + allRemarks.length === 0
        ? context
        : context.with({ memoryHits: hits }, { remarks: allRemarks });
    },
  };
}

const maxQueryChars = 2_000;

/**
 * Returns the user's latest message as recorded, because processors may have merged it with earlier
 * ones.
 */
function latestUserText({ eventLog }: Session): string {
  for (let at = eventLog.length - 1; at >= 0; at -= 1) {
    const event = eventLog.at(at);
    if (event?.kind !== "user_input" || (event.data.role ?? "user") !== "user") continue;
    const text = textOf(eventMessage(event));
    return truncateMiddle(text, { maxChars: maxQueryChars }).text.trim();
  }
  return "";
}

/** Returns the hits recorded since the last user input, oldest first. */
function recordedHits({ eventLog }: Session): MemoryHit[] {
  const events = eventLog.filter(["user_input", "memory_hit"]);
  const lastInput = events.findLastIndex(({ kind }) => kind === "user_input");
  return events
    .slice(lastInput + 1)
    .flatMap(({ kind, data }) => (kind === "memory_hit" ? data : []));
}

/**
 * Share of the prompt that is certain to survive a cut. A cut leaves about half of the room for the
 * newest turns.
 */
const safeShare = 0.4;

function visibleEventIds(context: WorkingContext, counter: TokenCounter): Set<unknown> {
  const { entries, budget } = context;
  const meter = createMessageMeter(counter);
  let remaining = context.isWithinBudget() ? Infinity : budget * safeShare;
  const ids = new Set<unknown>();
  for (const { message, eventIds } of entries.toReversed()) {
    remaining -= meter.of(message);
    if (remaining < 0) break;
    for (const id of eventIds) ids.add(id);
  }
  return ids;
}

interface SearchLimits {
  topK: number;
  timeoutMs: number;
  signal: AbortSignal | undefined;
}

/** Returns the memory's answer without validating its hits. */
async function search(
  memory: MemoryService,
  query: string,
  { topK, timeoutMs, signal }: SearchLimits,
): Promise<{ answer: readonly unknown[]; remarks: string[] }> {
  const timeout = new Error("timed out");
  try {
    const answer = await traced("memory search", { "ccl.limit": topK }, async (span) => {
      const reply: unknown = await withTimeout(
        async (ended) => memory.search(query, { topK, signal: ended }),
        { timeoutMs, signal, onTimeout: () => timeout },
      );
      span.set({ "ccl.memory.hits": Array.isArray(reply) ? reply.length : undefined });
      return reply;
    });
    if (Array.isArray(answer)) return { answer, remarks: [] };
    return { answer: [], remarks: ["memory was skipped: it did not return a list of hits"] };
  } catch (error) {
    throwIfAborted(signal, ContextCompilerError);
    const reason = error === timeout ? `no answer within ${timeoutMs} ms` : failureReason(error);
    return { answer: [], remarks: [`memory was skipped: ${reason}`] };
  }
}

/**
 * Converts a hit to the data of its event. Returns an empty list if the prompt already shows its
 * event, and `[undefined]` if the hit is invalid.
 */
function readHit(
  hit: unknown,
  visible: ReadonlySet<unknown>,
  redact: Redact | undefined,
): [] | [MemoryHit | undefined] {
  try {
    const {
      memoryId,
      text,
      score,
      source,
      eventId,
    }: Partial<Record<keyof MemoryHit | "eventId", unknown>> = Object(hit);
    if (visible.has(eventId)) return [];
    const data = {
      memoryId,
      text,
      score: Number.isFinite(score) ? score : undefined,
      source: typeof source === "string" ? source : undefined,
    };
    const { draft } = maskDraft({ kind: "memory_hit", data }, redact);
    return [draft.kind === "memory_hit" ? draft.data : undefined];
  } catch {
    return [undefined];
  }
}

/** Takes each memory once, in order, and skips those that do not fit. */
function fitHits(
  given: readonly (MemoryHit | undefined)[],
  { topK, maxTokens, counter }: { topK: number; maxTokens: number; counter: TokenCounter },
): { hits: MemoryHit[]; remarks: string[] } {
  const meter = createMessageMeter(counter);
  const hits: MemoryHit[] = [];
  const known = new Set<string>();
  let unreadable = 0;
  let omitted = 0;
  for (const hit of given) {
    if (hit === undefined || hit.text.trim() === "") {
      unreadable += 1;
      continue;
    }
    const { memoryId, text, score, source } = hit;
    if (known.has(memoryId)) continue;
    known.add(memoryId);
    const shown = {
      memoryId,
      text,
      score,
      source,
    };
    const isKept = hits.length < topK && meter.of(memoryMessage([...hits, shown])) <= maxTokens;
    if (isKept) hits.push(shown);
    else omitted += 1;
  }
  const remarks: string[] = [];
  if (unreadable > 0) remarks.push(`${hitCount(unreadable)} left out: no memoryId or no text`);
  if (omitted > 0)
    remarks.push(`${hitCount(omitted)} left out: over ${topK} hits or ${maxTokens} tokens`);
  return { hits, remarks };
}

function hitCount(count: number): string {
  return count === 1 ? "1 memory hit" : `${count} memory hits`;
}
