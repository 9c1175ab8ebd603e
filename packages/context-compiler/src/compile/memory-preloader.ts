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
  /** Maximum hits. 50 by default. */
  topK?: number | undefined;
  /** Token limit for all hits together. A quarter of the budget by default. */
  maxTokens?: number | undefined;
  /** Time limit for the memory in milliseconds. 2,000 by default. */
  timeoutMs?: number | undefined;
}

/**
 * Searches the memory for the user's last words. If the memory fails or is slow, the compile
 * continues without it. Leaves out hits without an id or text. The trace reports both cases. Masks
 * secrets in hits as in the session's events.
 */
export function memoryPreloader(options: MemoryPreloaderOptions = {}): ContextProcessor {
  requireNumbers("memoryPreloader", options, "topK", "maxTokens", "timeoutMs");
  const { memory, topK = 50, timeoutMs = 2_000 } = options;
  return {
    name: "memoryPreloader",
    async process({ session, context, budget, counter, signal }) {
      const maxTokens = options.maxTokens ?? Math.floor(budget / 4);
      const query = memory === undefined ? "" : lastWords(session);
      const isAsked = memory !== undefined && query !== "";
      const found = isAsked
        ? await search(memory, query, { topK, timeoutMs, signal })
        : { answer: [], remarks: [] };
      const shown = shownEvents(context, counter);
      const read = found.answer
        .filter((hit) => !shown.has(Reflect.get(Object(hit), "eventId")))
        .map((hit) => readHit(hit, redactOf(session)));
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

const longestQuery = 2_000;

/**
 * Returns the user's last words as recorded, since processors may have joined them with earlier
 * words.
 */
function lastWords({ eventLog }: Session): string {
  for (let at = eventLog.length - 1; at >= 0; at -= 1) {
    const event = eventLog.at(at);
    if (event?.kind !== "user_input" || (event.data.role ?? "user") !== "user") continue;
    const text = textOf(eventMessage(event));
    return truncateMiddle(text, { maxChars: longestQuery }).text.trim();
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
 * Share of a prompt that survives any cut: a session's cut leaves about half of the room to its
 * newest turns.
 */
const shownShare = 0.4;

function shownEvents(context: WorkingContext, counter: TokenCounter): Set<unknown> {
  const { entries, budget } = context;
  const meter = createMessageMeter(counter);
  let remaining = context.isWithinBudget() ? Infinity : budget * shownShare;
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

/** Returns the memory's answer, unchecked. */
async function search(
  memory: MemoryService,
  query: string,
  { topK, timeoutMs, signal }: SearchLimits,
): Promise<{ answer: readonly unknown[]; remarks: string[] }> {
  const late = new Error("late");
  try {
    const answer = await traced("memory search", { "ccl.limit": topK }, async (span) => {
      const reply: unknown = await withTimeout(
        async (ended) => memory.search(query, { topK, signal: ended }),
        { timeoutMs, signal, onTimeout: () => late },
      );
      span.set({ "ccl.memory.hits": Array.isArray(reply) ? reply.length : undefined });
      return reply;
    });
    if (Array.isArray(answer)) return { answer, remarks: [] };
    return { answer: [], remarks: ["the memory was left out: its answer is not a list of hits"] };
  } catch (error) {
    throwIfAborted(signal, ContextCompilerError);
    const reason = error === late ? `no answer within ${timeoutMs} ms` : failureReason(error);
    return { answer: [], remarks: [`the memory was left out: ${reason}`] };
  }
}

/** Converts a hit to the data of its event. Returns undefined if the hit is invalid. */
function readHit(hit: unknown, redact: Redact | undefined): MemoryHit | undefined {
  try {
    const { memoryId, text, score, source }: Partial<Record<keyof MemoryHit, unknown>> =
      Object(hit);
    const data = {
      memoryId,
      text,
      score: Number.isFinite(score) ? score : undefined,
      source: typeof source === "string" ? source : undefined,
    };
    const { draft } = maskDraft({ kind: "memory_hit", data }, redact);
    return draft.kind === "memory_hit" ? draft.data : undefined;
  } catch {
    return undefined;
  }
}

/** Takes each memory once, in the given order, while its text fits. */
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
  if (unreadable > 0)
    remarks.push(`${unreadable} memory hits left out: they have no memoryId or no text`);
  if (omitted > 0)
    remarks.push(`${omitted} memory hits left out: they exceed ${topK} or ${maxTokens} tokens`);
  return { hits, remarks };
}
