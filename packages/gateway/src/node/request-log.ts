import { redactSecrets, sha256Hex } from "@ccl/core";
import { isRecord } from "@ccl/core/json";
import type { Records } from "@ccl/records";

import type { ShownForm, ShownResult } from "../decide/plan-options.ts";
import type { PlannedItem } from "../decide/history-planner.ts";
import type { PassReason } from "../gateway/create-gateway.ts";
import type { ItemKind } from "../history/history-item.ts";
import { cachePriceOf } from "../price/cache-price.ts";
import type { ProxiedRequest } from "./open-proxy.ts";

/** A part of a prompt; texts only where they were asked for, and then without secrets. */
interface LoggedItem {
  kind: ItemKind;
  tool?: string | undefined;
  callId?: string | undefined;
  tokens: number;
  text?: string | undefined;
  /** SHA-256 of the whole text, also where it is not kept. */
  hash?: string | undefined;
}

/** A request as an entry of the log. Items and forms are those that the session's entry before does not have. */
export interface LoggedRequest {
  timeMs: number;
  durationMs: number;
  session: string;
  status?: number | undefined;
  model?: string | undefined;
  reason?: PassReason | undefined;
  directUsd: number;
  usd: number;
  reported?: ProxiedRequest["reported"];
  /** How many items are those of the entry before. */
  kept: number;
  /** How many of these were sent as they were sent before, so that the provider's cache may hold them. */
  unchanged: number;
  items: LoggedItem[];
  shown: ({ at: number; form: ShownForm } & Pick<LoggedItem, "tokens" | "text" | "hash">)[];
}

/** Keeps what was sent. */
export interface RequestLog {
  /** To be the proxy's `onRequest`; entries are written in the background. */
  add(request: ProxiedRequest): void;
  /** Waits for what is being written; whether all of it was. */
  close(): Promise<boolean>;
}

/** What the last entry of a session said of its prompt. */
interface LastEntry {
  length: number;
  shown: ReadonlyMap<number, ShownResult>;
}

const prefix = "gateway/requests/";

/** Writes a log for each session; with `texts`, what the prompts say too. */
export function createRequestLog(
  records: Records,
  { texts = false }: { texts?: boolean | undefined } = {},
): RequestLog {
  /** By the list of the prompt's items, which lives as long as the session is held. */
  const last = new WeakMap<readonly PlannedItem[], LastEntry>();
  let writing: Promise<unknown> = Promise.resolve();
  let isWhole = true;
  return {
    add(request) {
      const { items = [], shown = noneShown } = request.plan.prompt ?? {};
      const entry = entryOf(request, { last: last.get(items), texts });
      last.set(items, { shown, length: items.length });
      writing = writing
        .then(() => records.write([{ append: prefix + entry.session, entries: [entry] }]))
        .catch(() => {
          isWhole = false;
          // What comes next would refer to an entry that is missing.
          last.delete(items);
        });
    },
    async close() {
      await writing;
      return isWhole;
    },
  };
}

const noneShown: ReadonlyMap<number, ShownResult> = new Map();

function entryOf(
  { plan, startedAtMs, durationMs, status, reported }: ProxiedRequest,
  { last, texts }: { last: LastEntry | undefined; texts: boolean },
): LoggedRequest {
  const { items = [], shown = noneShown } = plan.prompt ?? {};
  const kept = last?.length ?? 0;
  const redacted = (text: string): string | undefined =>
    texts ? redactSecrets(text).text : undefined;
  const newly = [...shown].filter(([at, one]) => last?.shown.get(at) !== one);
  const usd = cachePriceOf(plan.model).usdPerMillion / 1e6;
  return {
    timeMs: startedAtMs,
    durationMs,
    session: plan.session ?? "unknown",
    status,
    model: plan.model,
    reason: plan.reason,
    directUsd: plan.directPrice * usd,
    usd: (plan.reason === undefined ? plan.price : plan.directPrice) * usd,
    reported,
    kept,
    unchanged: Math.min(kept, ...newly.map(([at]) => at)),
    items: items.slice(kept).map(({ item: { kind, tool, callId, text }, tokens }) => ({
      kind,
      tool,
      callId,
      tokens,
      text: redacted(text),
      hash: text === "" ? undefined : sha256Hex(text),
    })),
    shown: newly.map(([at, { form, text }]) => ({
      at,
      form,
      tokens: items[at]?.shownTokens ?? 0,
      text: redacted(text),
      hash: sha256Hex(text),
    })),
  };
}

/**
 * Reads the requests by session, each with the whole of its prompt; a later call reads what was added since. Entries of
 * another form are passed over.
 */
export function createRequestLogReader(
  records: Records,
): () => Promise<Map<string, readonly LoggedRequest[]>> {
  const logs = new Map<string, ReadLog>();
  const read = async (): Promise<Map<string, readonly LoggedRequest[]>> => {
    const sessions = new Map<string, readonly LoggedRequest[]>();
    let cursor: string | undefined;
    do {
      const page = await records.listLogs({ prefix, cursor, limit: 1_000 });
      for (const { name, version } of page.logs) {
        const known = logs.get(name);
        // A log that became shorter is another one.
        const log = known === undefined || known.count > version ? newLog() : known;
        logs.set(name, log);
        await readOn(records, { name, version }, log);
        sessions.set(name.slice(prefix.length), log.requests);
      }
      ({ cursor } = page);
    } while (cursor !== undefined);
    return sessions;
  };
  let reading: Promise<unknown> = Promise.resolve();
  // One at a time, since each reads on from where the last one ended.
  return () => {
    const next = reading.then(read, read);
    reading = next;
    return next;
  };
}

/** A log of one session, as far as it was read. */
interface ReadLog {
  count: number;
  requests: LoggedRequest[];
}

const newLog = (): ReadLog => ({ count: 0, requests: [] });

/** Adds the entries that follow. */
async function readOn(
  records: Records,
  { name, version }: { name: string; version: number },
  log: ReadLog,
): Promise<void> {
  while (log.count < version) {
    const { entries } = await records.readLog(name, { from: log.count });
    if (entries.length === 0) return;
    log.count += entries.length;
    for (const entry of entries.filter(isLogged)) {
      const whole = wholeRequest(entry, log.requests.at(-1));
      if (whole !== undefined) log.requests.push(whole);
    }
  }
}

function wholeRequest(
  entry: LoggedRequest,
  before: LoggedRequest | undefined,
): LoggedRequest | undefined {
  if (entry.kept > 0 && (before === undefined || before.items.length < entry.kept))
    return undefined;
  const items = [...(before?.items.slice(0, entry.kept) ?? []), ...entry.items];
  const shown = new Map(entry.kept > 0 ? before?.shown.map((one) => [one.at, one]) : []);
  for (const one of entry.shown) shown.set(one.at, one);
  return { ...entry, items, shown: [...shown.values()] };
}

function isLogged(value: unknown): value is LoggedRequest {
  return (
    isRecord(value) &&
    ["timeMs", "kept", "unchanged", "usd", "directUsd"].every(
      (name) => typeof value[name] === "number",
    ) &&
    (value["reported"] === undefined || isRecord(value["reported"])) &&
    Array.isArray(value["items"]) &&
    value["items"].every((item) => isRecord(item) && typeof item["tokens"] === "number") &&
    Array.isArray(value["shown"])
  );
}
