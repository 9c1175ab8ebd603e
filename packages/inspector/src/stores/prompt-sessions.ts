import { estimatedCounter } from "@ccl/core";
import { cachePriceOf, promptPrice } from "@ccl/gateway";
import type { Transcript } from "@ccl/gateway/audit";
import type { ContextPart, ContextRecord, PartContent } from "@ccl/core/tracing";

import { createContextLogReader } from "../create-context-log-reader.ts";
import type { GatewayView, PromptRow, SessionRow } from "../views.ts";

/** Tokens from one origin. Results are counted by tool. */
export type KindTokens = GatewayView["kinds"][number];

/** A prompt with its parts, both original and as sent. */
export interface SessionPrompt {
  row: PromptRow;
  parts: readonly ContextPart[];
  /** Tokens of the parts by kind. Only for recorded prompts. */
  kinds: readonly KindTokens[];
  /** True if any part was changed before sending. */
  isChanged: boolean;
  /**
   * Number of leading parts that equal those of the previous prompt. The provider may have cached
   * these.
   */
  unchanged: number;
}

/** A session of one or more prompts. */
export interface PromptSession {
  row: SessionRow;
  prompts: readonly SessionPrompt[];
}

/** Returns a function that reads the sessions recorded in a folder. Later calls read only what was added. */
export function recordedSessions(folder: string): () => Promise<PromptSession[]> {
  const read = createContextLogReader(folder);
  let known = new Map<ContextRecord, { prompt: SessionPrompt; run: number }>();
  return async () => {
    const places: typeof known = new Map();
    const sessions = [...(await read())].flatMap(([id, records]) => {
      const runs: SessionPrompt[][] = [];
      for (const record of records) {
        const run = known.get(record)?.run ?? runOf(record, runs);
        const prompts = (runs[run] ??= []);
        const prompt = known.get(record)?.prompt ?? promptOf(record, prompts);
        places.set(record, { prompt, run });
        prompts.push(prompt);
      }
      const { source = "", model } = records.at(-1) ?? {};
      return runs.flatMap((prompts, at) =>
        sessionOf({ id: at === 0 ? id : `${id}.${at + 1}`, source, model }, prompts),
      );
    });
    known = places;
    return sessions;
  };
}

/**
 * Finds the run that a prompt belongs to. Runs of the same task share a key and may overlap. A
 * prompt joins the run that it extends. A prompt that equals the start of a run that has since
 * continued starts a new run.
 */
function runOf({ parts }: ContextRecord, runs: readonly SessionPrompt[][]): number {
  const commonWith = (prompt: SessionPrompt | undefined): number => {
    const changed = parts.findIndex((part, at) => !isAlike(part, prompt?.parts[at]));
    return changed < 0 ? parts.length : changed;
  };
  const isFrom = (prompt: SessionPrompt | undefined): boolean =>
    commonWith(prompt) === prompt?.parts.length;
  const scores = runs.map((run) => commonWith(run.at(-1)) + (isFrom(run.at(-1)) ? 0.5 : 0));
  const best = scores.lastIndexOf(Math.max(0, ...scores));
  const run = runs[best];
  const isAnew =
    run === undefined ||
    (!isFrom(run.at(-1)) && isFrom(run[0]) && run[0]?.parts.length === parts.length);
  return isAnew ? runs.length : best;
}

/** Returns the tokens of a part as sent. */
export function sentTokens({ sent, tokens }: ContextPart): number {
  return sent?.tokens ?? tokens;
}

function promptOf(record: ContextRecord, before: readonly SessionPrompt[]): SessionPrompt {
  const { parts, timeMs, model, status, reason, budget, reported, durationMs } = record;
  const [at, last] = [before.length, before.at(-1)];
  const changed = parts.findIndex((part, place) => !isSentAlike(part, last?.parts[place]));
  const unchanged = changed < 0 ? parts.length : changed;
  const cached = sumBy(parts.slice(0, unchanged), sentTokens);
  const fresh = sumBy(parts, sentTokens) - cached;
  const directTokens = sumBy(parts, ({ tokens }) => tokens);
  // Without changes, all of the previous prompt would be in the cache.
  const directCached = Math.min(last?.row.directTokens ?? 0, directTokens);
  const {
    usd = usdOf(cached, fresh, model),
    directUsd = usdOf(directCached, directTokens - directCached, model),
  } = record;
  const kinds = new Map<string, KindTokens>();
  for (const part of parts)
    addKind(kinds, {
      origin: part.kind,
      tool: part.tool,
      tokens: sentTokens(part),
      directTokens: part.tokens,
    });
  const sizes = { cached, fresh, directTokens, usd, directUsd };
  // Without an answer, the log has no status.
  const isFailed = durationMs !== undefined && !(status !== undefined && status < 400);
  const row = { at, timeMs, ...sizes, status, reason, budget, reported, durationMs, isFailed };
  const isChanged = parts.some(({ sent }) => sent !== undefined);
  return { row, parts, kinds: [...kinds.values()], isChanged, unchanged };
}

/** True if both parts sent the same content to the model, as far as is known. */
function isSentAlike(part: ContextPart, known: ContextPart | undefined): boolean {
  return part.kind === known?.kind && isAlike(part.sent ?? part, known.sent ?? known);
}

function isAlike(first: PartContent, second: PartContent | undefined): boolean {
  return (
    first === second ||
    (first.tokens === second?.tokens &&
      (first.tokens === 0 || (first.hash !== undefined && first.hash === second.hash)))
  );
}

/** Adds tokens to the total of their kind. */
export function addKind(
  sums: Map<string, KindTokens>,
  { origin, tool, tokens, directTokens }: KindTokens,
): void {
  const of = origin === "result" ? tool : undefined;
  const key = `${origin} ${of ?? ""}`;
  const sum = sums.get(key) ?? { origin, tool: of, tokens: 0, directTokens: 0 };
  sum.tokens += tokens;
  sum.directTokens += directTokens;
  sums.set(key, sum);
}

/** The log of a coding agent. */
export interface AgentLog {
  /** Unique among the logs. */
  id: string;
  changedMs: number;
  /** Reads the log's sessions. Called again only if the log has changed. */
  transcripts(): Promise<readonly Transcript[]>;
}

/** Returns a function that reads the sessions in agents' logs. Later calls read only changed logs. */
export function agentSessions(): (logs: readonly AgentLog[]) => Promise<PromptSession[]> {
  const known = new Map<string, { changedMs: number; sessions: PromptSession[] }>();
  return async (logs) => {
    for (const log of logs) {
      const { id, changedMs } = log;
      if (known.get(id)?.changedMs === changedMs) continue;
      const transcripts = await log.transcripts();
      const sessions = transcripts.flatMap((transcript, at) => ofTranscript(transcript, log, at));
      known.set(id, { changedMs, sessions });
    }
    return logs.flatMap(({ id }) => known.get(id)?.sessions ?? []);
  };
}

function ofTranscript(
  { model, client, calls, items }: Transcript,
  { id, changedMs }: AgentLog,
  at: number,
): PromptSession[] {
  const parts = items.map(({ kind, tool, callId, text, mediaTokens }): ContextPart => ({
    kind,
    tool,
    callId,
    text,
    tokens: mediaTokens ?? estimatedCounter.count(text) + 4,
  }));
  let [unchanged, total, counted] = [0, 0, 0];
  const prompts = calls.map((call, place): SessionPrompt => {
    const cached = total;
    for (; counted < call.end; counted += 1) total += parts[counted]?.tokens ?? 0;
    const fresh = total - cached;
    const usd = usdOf(cached, fresh, model);
    const sizes = { cached, fresh, directTokens: total, usd, directUsd: usd, isFailed: false };
    const row = { at: place, timeMs: call.atMs, ...sizes };
    const prompt = { row, parts: parts.slice(0, call.end), kinds: [], isChanged: false, unchanged };
    unchanged = call.end;
    return prompt;
  });
  return sessionOf({ id: `${id}.${at}`, source: client, model, timeMs: changedMs }, prompts);
}

/** Computes the cost of a prompt at list prices. */
export function usdOf(cached: number, fresh: number, model: string | undefined): number {
  const price = cachePriceOf(model);
  return (promptPrice({ cached, fresh }, price) * price.usdPerMillion) / 1e6;
}

function sessionOf(
  given: Pick<SessionRow, "id" | "source" | "model" | "timeMs">,
  prompts: readonly SessionPrompt[],
): PromptSession[] {
  const last = prompts.at(-1);
  if (last === undefined) return [];
  const asked = last.parts.find(({ kind }) => kind === "user")?.text ?? "";
  const title = asked.replaceAll(/\s+/g, " ").trim().slice(0, 120);
  const { cached, fresh, timeMs = given.timeMs } = last.row;
  const row = {
    ...given,
    title: title || given.id.slice(0, 12),
    timeMs,
    prompts: prompts.length,
    tokens: cached + fresh,
    usd: sumBy(prompts, (prompt) => prompt.row.usd),
    directUsd: sumBy(prompts, (prompt) => prompt.row.directUsd),
    failed: prompts.filter((prompt) => prompt.row.isFailed).length,
    durationMs: (timeMs ?? 0) - (prompts[0]?.row.timeMs ?? 0),
  };
  return [{ row, prompts }];
}

/** Adds up a value over all items. */
export function sumBy<Item>(items: readonly Item[], value: (item: Item) => number): number {
  return items.reduce((sum, item) => sum + value(item), 0);
}
