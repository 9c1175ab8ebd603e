import { stat } from "node:fs/promises";
import { basename } from "node:path";

import { estimatedCounter } from "@ccl/core";
import { cachePriceOf } from "@ccl/gateway";
import type { RecordedCall, Transcript } from "@ccl/gateway/audit";
import { createRequestLogReader, type LoggedRequest, openGatewayRecords } from "@ccl/gateway/node";
import type { GatewayView, PromptRow, SessionRow } from "@ccl/inspector";

import { agentFolders, findLogs, maxLogBytes, readAgentLog } from "../commands/audit.ts";
import type { Session } from "../session.ts";

/** A part of a prompt, as it came. */
interface SessionItem {
  kind: LoggedRequest["items"][number]["kind"];
  tool?: string | undefined;
  callId?: string | undefined;
  tokens: number;
  text?: string | undefined;
  /** SHA-256 of the whole text. */
  hash?: string | undefined;
}

/** Tokens of one origin, of results by tool. */
export type KindTokens = GatewayView["kinds"][number];

/** A prompt: its parts, and those that were sent in another form. */
export interface SessionPrompt {
  row: PromptRow;
  items: readonly SessionItem[];
  shown: LoggedRequest["shown"];
  /** What its parts come to, by kind; of the gateway's prompts alone. */
  kinds: readonly KindTokens[];
  /** So many parts may have been in the provider's cache. */
  unchanged: number;
  /** Input tokens as the provider reported them. */
  reported: { total: number; cached: number };
}

/** A session with its prompts, one or more. */
export interface PromptSession {
  row: SessionRow;
  prompts: readonly SessionPrompt[];
}

/** Reads the sessions of the gateway of a state folder; a later call reads what was added since. */
export function gatewaySessions(state: string): () => Promise<PromptSession[]> {
  let read: ReturnType<typeof createRequestLogReader> | undefined;
  const known = new Map<readonly LoggedRequest[], SessionPrompt[]>();
  return async () => {
    if (read === undefined && (await isThere(`${state}/gateway`)))
      read = createRequestLogReader(await openGatewayRecords(state));
    return [...((await read?.()) ?? [])].flatMap(([id, requests]) => {
      const prompts = known.get(requests) ?? [];
      for (const request of requests.slice(prompts.length))
        prompts.push(promptOf(request, prompts.length));
      known.set(requests, prompts);
      return sessionOf({ id, source: "gateway", model: requests.at(-1)?.model }, prompts);
    });
  };
}

function promptOf(request: LoggedRequest, at: number): SessionPrompt {
  const { items, unchanged, timeMs, usd, directUsd, status, reason } = request;
  // What a policy would have done is kept too, but was not sent.
  const isAsItCame = reason === "audit" || reason === "holdout";
  const shown = isAsItCame ? [] : request.shown;
  const tokensAt = new Map(shown.map((one) => [one.at, one.tokens]));
  const sizes = items.map(({ tokens }, place) => tokensAt.get(place) ?? tokens);
  const cached = sumAll(sizes.slice(0, unchanged));
  const row: PromptRow = {
    at,
    timeMs,
    cached,
    fresh: sumAll(sizes) - cached,
    directTokens: sumAll(items.map(({ tokens }) => tokens)),
    usd,
    directUsd,
    status,
    reason,
  };
  const kinds = new Map<string, KindTokens>();
  for (const [place, { kind: origin, tool, tokens }] of items.entries())
    addKind(kinds, { origin, tool, tokens: sizes[place] ?? tokens, directTokens: tokens });
  const { reported = { total: 0, cached: 0 } } = request;
  return { row, items, shown, kinds: [...kinds.values()], unchanged, reported };
}

/** Adds to the sum of its kind. */
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

/** What is read from the logs of coding agents, and how many are left out. */
export interface AgentSessions {
  sessions: PromptSession[];
  left: number;
}

const maxLogs = 60;
const read = new Map<string, { changedMs: number; sessions: PromptSession[] }>();

/** The newest sessions of the coding agents of this user, or of a folder of their logs. */
export async function agentSessions(
  session: Session,
  folder: string | undefined,
): Promise<AgentSessions> {
  const folders = folder === undefined ? agentFolders(session) : [folder];
  const logs = (await Promise.all(folders.map(findLogs))).flat();
  logs.sort((a, b) => b.changedMs - a.changedMs || (a.path < b.path ? -1 : 1));
  const sessions: PromptSession[] = [];
  for (const { path, changedMs, sizeBytes } of logs.slice(0, maxLogs)) {
    session.signal.throwIfAborted();
    let known = read.get(path);
    if (known?.changedMs !== changedMs) {
      const found = sizeBytes > maxLogBytes ? [] : await readAgentLog(path);
      known = {
        changedMs,
        sessions: found.flatMap((one, at) => ofTranscript(one, { path, at, changedMs })),
      };
      read.set(path, known);
    }
    sessions.push(...known.sessions);
  }
  return { sessions, left: Math.max(0, logs.length - maxLogs) };
}

function ofTranscript(
  transcript: Transcript,
  { path, at, changedMs }: { path: string; at: number; changedMs: number },
): PromptSession[] {
  const { model, client, calls } = transcript;
  const items: SessionItem[] = transcript.items.map(
    ({ kind, tool, callId, text, mediaTokens }) => ({
      kind,
      tool,
      callId,
      text,
      tokens: mediaTokens ?? estimatedCounter.count(text) + 4,
    }),
  );
  const ends: Pick<RecordedCall, "end" | "atMs">[] =
    calls.length > 0 ? calls : endsOf(items).map((end) => ({ end }));
  const price = cachePriceOf(model);
  const reported = { total: 0, cached: 0 };
  let [unchanged, total, counted] = [0, 0, 0];
  const prompts = ends.map((call, place): SessionPrompt => {
    const cached = total;
    for (; counted < call.end; counted += 1) total += items[counted]?.tokens ?? 0;
    const fresh = total - cached;
    const isCached = cached >= price.minCachedTokens;
    const plain = isCached ? cached * price.read + fresh * price.write : total * price.write;
    const usd = (plain * price.usdPerMillion) / 1e6;
    const row = {
      at: place,
      timeMs: call.atMs,
      cached,
      fresh,
      directTokens: total,
      usd,
      directUsd: usd,
    };
    const prompt = {
      row,
      items: items.slice(0, call.end),
      shown: [],
      kinds: [],
      unchanged,
      reported,
    };
    unchanged = call.end;
    return prompt;
  });
  const id = `${basename(path).replace(/\0.*|\.jsonl?$/, "")}.${at}`;
  return sessionOf({ id, source: client, model, timeMs: changedMs }, prompts);
}

/** Where the prompts of a plain list of messages end: before each answer, and at the end if none follows. */
function endsOf(items: readonly SessionItem[]): number[] {
  const isOfModel = (at: number): boolean =>
    ["assistant", "reasoning", "call"].includes(items[at]?.kind ?? "");
  const ends: number[] = [];
  for (let at = 1; at < items.length; at += 1)
    if (isOfModel(at) && !isOfModel(at - 1)) ends.push(at);
  if (items.length > 0 && !isOfModel(items.length - 1)) ends.push(items.length);
  return ends;
}

function sessionOf(
  given: Pick<SessionRow, "id" | "source" | "model" | "timeMs">,
  prompts: readonly SessionPrompt[],
): PromptSession[] {
  const last = prompts.at(-1);
  if (last === undefined) return [];
  const asked = last.items.find(({ kind }) => kind === "user")?.text ?? "";
  const title = asked.replaceAll(/\s+/g, " ").trim().slice(0, 120);
  const { cached, fresh, timeMs = given.timeMs } = last.row;
  const row = {
    ...given,
    title: title === "" ? given.id.slice(0, 12) : title,
    timeMs,
    prompts: prompts.length,
    tokens: cached + fresh,
  };
  return [{ row, prompts }];
}

/** A sum. */
export function sumAll(numbers: readonly number[]): number {
  return numbers.reduce((sum, one) => sum + one, 0);
}

/** True where the file is there. */
export async function isThere(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined)) !== undefined;
}
