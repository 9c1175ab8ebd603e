import type { PartKind } from "@ccl/core/tracing";
import { estimatedCounter } from "@ccl/core";

import type { ShownForm } from "../decide/plan-options.ts";
import { HistoryPlanner } from "../decide/history-planner.ts";
import { type HistoryItem, promptEnds } from "../history/history-item.ts";
import { type CachePrice, cachePriceOf, reportedPrice } from "../price/cache-price.ts";
import type { Transcript } from "./transcript.ts";

/** Size of one kind of content. */
export interface AuditedKind {
  kind: PartKind;
  /** Set only for results. */
  tool?: string | undefined;
  count: number;
  tokens: number;
  /** Tokens, multiplied by the number of calls that sent them. */
  sentTokens: number;
}

/** Why a provider read fewer tokens from its cache than the previous prompt contained. */
type CacheBreakCause = "compaction" | "pause" | "model changed" | "prompt changed";

/** A call that lost its cache, according to the provider's report. */
interface CacheBreak {
  cause: CacheBreakCause;
  lostTokens: number;
  /** In plain input tokens. */
  price: number;
}

/** A result that a policy would have shortened. */
export interface AuditExample {
  tool: string;
  /** The first part of the call's arguments. */
  call: string;
  form: ShownForm;
  tokens: number;
  shownTokens: number;
  /** Total tokens saved in all later calls. */
  savedTokens: number;
}

/**
 * What a session cost, and what it would have cost under each policy. Prices are in plain input tokens. A million of
 * them cost `price.usdPerMillion` dollars.
 */
export interface SessionAudit {
  client: Transcript["client"];
  model: string | undefined;
  price: CachePrice;
  calls: number;
  kinds: AuditedKind[];
  /** Results that repeat an earlier result, exactly or nearly. */
  repeats: { count: number; tokens: number };
  breaks: CacheBreak[];
  /** Calculated from the provider's report, if there is one. */
  reportedPrice?: number | undefined;
  directPrice: number;
  safePrice: number;
  fullPrice: number;
  examples: AuditExample[];
}

const tokensOf = (text: string): number => estimatedCounter.count(text);

/** Default sizes above which the gateway and the audit shorten content. */
export const defaultSizes = { selectAbove: 600, cutAbove: 3_000 };

/**
 * Measures what filled the prompts of a session, and computes its cost under each policy, including the provider's
 * cache. Pass `usdPerMillion` (per million plain input tokens) if you do not pay the list price.
 */
export function auditTranscript(transcript: Transcript, usdPerMillion?: number): SessionAudit {
  const listed = cachePriceOf(transcript.model);
  const price = { ...listed, usdPerMillion: usdPerMillion ?? listed.usdPerMillion };
  const items = withFixedPart(transcript);
  const ends = promptEnds(items);
  const replay = (mode: "safe" | "full"): Replay => {
    const planner = new HistoryPlanner({
      mode,
      counter: estimatedCounter,
      price,
      ...defaultSizes,
    });
    return replayOf(items, ends, planner);
  };
  const [safe, full] = [replay("safe"), replay("full")];
  return {
    client: transcript.client,
    model: transcript.model,
    price,
    calls: ends.length,
    kinds: kindsOf(items, ends),
    repeats: safe.repeats,
    breaks: breaksOf(transcript, price),
    reportedPrice: sumOfReports(
      transcript.calls.flatMap(({ usage }) => (usage ? [reportedPrice(usage, price)] : [])),
    ),
    directPrice: full.directPrice,
    safePrice: safe.price,
    fullPrice: full.price,
    examples: full.examples,
  };
}

/**
 * Adds the system prompt and tools, which transcripts lack. Their size is the first reported input minus the counted
 * tokens.
 */
function withFixedPart({ items, calls }: Transcript): HistoryItem[] {
  const first = calls.find(({ usage }) => usage !== undefined);
  if (first?.usage === undefined) return items;
  const counted = items.slice(0, first.end).reduce((sum, { text }) => sum + tokensOf(text), 0);
  const fixed = first.usage.total - counted;
  return fixed > 0 ? [{ kind: "system", text: "", mediaTokens: fixed }, ...items] : items;
}

interface Replay {
  directPrice: number;
  price: number;
  repeats: { count: number; tokens: number };
  examples: AuditExample[];
}

function replayOf(
  items: readonly HistoryItem[],
  ends: readonly number[],
  planner: HistoryPlanner,
): Replay {
  const replay: Replay = {
    directPrice: 0,
    price: 0,
    repeats: { count: 0, tokens: 0 },
    examples: [],
  };
  for (const [at, end] of ends.entries()) {
    const { call, decisions } = planner.plan(items.slice(0, end));
    replay.directPrice += call?.directPrice ?? 0;
    replay.price += call?.price ?? 0;
    for (const [place, shown] of decisions.flatMap(({ edits }) => edits)) {
      const item = items[place];
      if (item === undefined) continue;
      const tokens = tokensOf(item.text);
      const shownTokens = tokensOf(shown.text);
      if (shown.form === "repeat") {
        replay.repeats.count += 1;
        replay.repeats.tokens += tokens;
      }
      replay.examples.push({
        tool: item.tool ?? "a tool",
        call: callOf(items, item).slice(0, 100),
        form: shown.form,
        tokens,
        shownTokens,
        savedTokens: (tokens - shownTokens) * (ends.length - at),
      });
    }
  }
  replay.examples.sort((a, b) => b.savedTokens - a.savedTokens);
  replay.examples.length = Math.min(10, replay.examples.length);
  return replay;
}

function callOf(items: readonly HistoryItem[], { callId }: HistoryItem): string {
  return items.find((item) => item.kind === "call" && item.callId === callId)?.text ?? "";
}

function kindsOf(items: readonly HistoryItem[], ends: readonly number[]): AuditedKind[] {
  const kinds = new Map<string, AuditedKind>();
  let calls = ends.length;
  let next = 0;
  for (const [at, item] of items.entries()) {
    while ((ends[next] ?? Infinity) <= at) {
      next += 1;
      calls -= 1;
    }
    const tool = item.kind === "result" ? (item.tool ?? "a tool") : undefined;
    const tokens = item.mediaTokens ?? tokensOf(item.text);
    const sentTokens = tokens * Math.max(0, calls);
    addAudited(kinds, { kind: item.kind, tool, count: 1, tokens, sentTokens });
  }
  return [...kinds.values()].sort((a, b) => b.sentTokens - a.sentTokens);
}

/** Adds content to the total of its kind. Results are totalled by tool. */
export function addAudited(
  kinds: Map<string, AuditedKind>,
  { kind, tool, count, tokens, sentTokens }: AuditedKind,
): void {
  const key = `${kind} ${tool ?? ""}`;
  const sum = kinds.get(key) ?? { kind, tool, count: 0, tokens: 0, sentTokens: 0 };
  sum.count += count;
  sum.tokens += tokens;
  sum.sentTokens += sentTokens;
  kinds.set(key, sum);
}

/** The cache counts as lost if the provider read less than this share of the previous prompt from it. */
const foundShare = 0.5;
const smallestBreak = 2_000;
const pauseMs = 5 * 60_000;

function breaksOf({ calls, isAfterCompaction }: Transcript, price: CachePrice): CacheBreak[] {
  const breaks: CacheBreak[] = [];
  for (const [at, call] of calls.entries()) {
    const before = calls[at - 1];
    if (call.usage === undefined) continue;
    const previousTotal = before === undefined ? 0 : (before.usage?.total ?? 0);
    const isFirst = before === undefined && isAfterCompaction;
    const lostTokens = isFirst
      ? call.usage.total - call.usage.cached
      : previousTotal - call.usage.cached;
    const isBreak = isFirst || call.usage.cached < previousTotal * foundShare;
    if (!isBreak || lostTokens < smallestBreak) continue;
    const isPaused = (call.atMs ?? 0) - (before?.atMs ?? call.atMs ?? 0) > pauseMs;
    const isOther = before?.model !== undefined && before.model !== call.model;
    const cause = isFirst
      ? "compaction"
      : isOther
        ? "model changed"
        : isPaused
          ? "pause"
          : "prompt changed";
    breaks.push({ cause, lostTokens, price: lostTokens * (price.write - price.read) });
  }
  return breaks;
}

function sumOfReports(values: readonly number[]): number | undefined {
  return values.length === 0 ? undefined : values.reduce((sum, value) => sum + value, 0);
}

/**
 * Returns the input cost of sessions in US dollars at list prices, from the provider's reports. Undefined if the
 * reports are missing, or if a call has no known price.
 */
export function reportedUsd(transcripts: readonly Transcript[]): number | undefined {
  const reports = transcripts.flatMap(({ calls, model }) =>
    calls.flatMap(({ usage, model: own = model }) =>
      usage === undefined || usage.total === 0 ? [] : { usage, price: cachePriceOf(own) },
    ),
  );
  if (reports.some(({ price }) => !price.isKnown)) return undefined;
  return sumOfReports(
    reports.map(({ usage, price }) => (reportedPrice(usage, price) * price.usdPerMillion) / 1e6),
  );
}
