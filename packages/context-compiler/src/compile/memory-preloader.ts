import { redactSecrets, truncateMiddle, type TokenCounter } from "@ccl/core";
import { createMessageMeter } from "../fit/message-meter.ts";
import type { ContextProcessor } from "./context-processor.ts";
import { throwIfAborted } from "./in-turn.ts";
import { logIndexOf } from "./log-index.ts";
import type { MemoryHit, MemoryService } from "./memory-service.ts";
import { memoryMessage } from "./prompt-parts.ts";
import type { ContextEntry } from "./working-context.ts";

/** What is remembered, and how much of it is shown. */
export interface MemoryPreloaderOptions {
  /** Without one, only memory hits that were recorded since the user last spoke are shown. */
  memory?: MemoryService;
  /** 5 by default. */
  topK?: number;
  /** What all hits together may take; a tenth of the budget, at most 1,000, by default. */
  maxTokens?: number;
  /** How long the memory may take; 2,000 by default. */
  timeoutMs?: number;
}

/** Looks up what is remembered about the user's last words. A memory that fails or is slow is left out, and the trace says so. */
export function memoryPreloader(options: MemoryPreloaderOptions = {}): ContextProcessor {
  const { memory, topK = 5, timeoutMs = 2_000 } = options;
  return {
    name: "memoryPreloader",
    async process({ session, context, budget, counter, signal }) {
      const maxTokens = options.maxTokens ?? Math.min(1_000, Math.floor(budget / 10));
      const recorded: readonly MemoryHit[] = logIndexOf(session).freshMemory;
      const query = memory === undefined ? "" : lastWords(context.entries);
      const isAsked = memory !== undefined && query !== "";
      const found = isAsked ? await search(memory, query, { topK, timeoutMs, signal }) : { hits: [], notes: [] };
      const { hits, notes } = fitHits([...recorded, ...found.hits], { topK, maxTokens, counter });
      const allNotes = [...found.notes, ...notes];
      return hits.length + allNotes.length === 0 ? context : context.with({ memoryHits: hits }, { notes: allNotes });
    },
  };
}

const longestQuery = 2_000;

function lastWords(entries: readonly ContextEntry[]): string {
  const last = entries.findLast(({ message }) => message.role === "user");
  const { content = "" } = last?.message ?? {};
  const text =
    typeof content === "string" ? content : content.map((part) => (part.type === "text" ? part.text : "")).join("\n");
  return truncateMiddle(text, { maxChars: longestQuery }).text.trim();
}

interface SearchLimits {
  topK: number;
  timeoutMs: number;
  signal: AbortSignal | undefined;
}

async function search(
  memory: MemoryService,
  query: string,
  { topK, timeoutMs, signal }: SearchLimits,
): Promise<{ hits: readonly MemoryHit[]; notes: string[] }> {
  const controller = new AbortController();
  let timer: ReturnType<typeof setTimeout> | undefined;
  let onAbort: (() => void) | undefined;
  const limit = new Promise<never>((_, reject) => {
    const end = (reason: Error): void => {
      reject(reason);
      controller.abort(reason);
    };
    const longest = Math.min(timeoutMs, 2 ** 31 - 1);
    timer = setTimeout(() => end(new Error(`no answer within ${timeoutMs} ms`)), longest);
    onAbort = () => end(new Error("the compile was cancelled"));
    signal?.addEventListener("abort", onAbort, { once: true });
  });
  try {
    const hits = await Promise.race([limit, memory.search(query, { topK, signal: controller.signal })]);
    return { hits: hits.filter(isHit).slice(0, topK), notes: [] };
  } catch (error) {
    throwIfAborted(signal);
    const reason = error instanceof Error ? redactSecrets(error.message).text : "no reason";
    return { hits: [], notes: [`the memory was left out: ${reason}`] };
  } finally {
    clearTimeout(timer);
    if (onAbort !== undefined) signal?.removeEventListener("abort", onAbort);
  }
}

function isHit(hit: MemoryHit): boolean {
  return typeof hit?.memoryId === "string" && typeof hit.text === "string" && hit.text.trim() !== "";
}

/** Each memory once, in the order given, while they fit as they are shown. */
function fitHits(
  hits: readonly MemoryHit[],
  { topK, maxTokens, counter }: { topK: number; maxTokens: number; counter: TokenCounter },
): { hits: MemoryHit[]; notes: string[] } {
  const meter = createMessageMeter(counter);
  const kept: MemoryHit[] = [];
  const known = new Set<string>();
  let omitted = 0;
  for (const { memoryId, text, score, source } of hits) {
    if (known.has(memoryId)) continue;
    known.add(memoryId);
    const hit = {
      memoryId,
      text,
      ...(score === undefined ? {} : { score }),
      ...(source === undefined ? {} : { source }),
    };
    const isKept = kept.length < topK && meter.of(memoryMessage([...kept, hit], "system")) <= maxTokens;
    if (isKept) kept.push(hit);
    else omitted += 1;
  }
  const notes = omitted === 0 ? [] : [`${omitted} memory hits left out: they go beyond ${topK} or ${maxTokens} tokens`];
  return { hits: kept, notes };
}
