import { createReadStream } from "node:fs";
import { appendFile, mkdir, readdir, stat } from "node:fs/promises";
import { join } from "node:path";

import { isRecord } from "@ccl/core/json";
import { unless } from "@ccl/core/node";
import { redactSecrets, sha256Hex } from "@ccl/core";

import type { ShownForm, ShownResult } from "../decide/plan-options.ts";
import type { PlannedItem } from "../decide/history-planner.ts";
import type { PassReason } from "../gateway/create-gateway.ts";
import type { ItemKind } from "../history/history-item.ts";
import { readLines } from "../json/read-lines.ts";
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

/** A request as a line of the log. Items and forms are those that the session's line before does not have. */
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
  /** How many items are those of the line before. */
  kept: number;
  /** How many of these were sent as they were sent before, so that the provider's cache may hold them. */
  unchanged: number;
  items: LoggedItem[];
  shown: ({ at: number; form: ShownForm } & Pick<LoggedItem, "tokens" | "text" | "hash">)[];
}

/** Keeps what was sent. */
export interface RequestLog {
  /** To be the proxy's `onRequest`; lines are written in the background. */
  add(request: ProxiedRequest): void;
  /** Waits for what is being written; whether all of it was. */
  close(): Promise<boolean>;
}

/** What the last line of a session said of its prompt. */
interface LastLine {
  length: number;
  shown: ReadonlyMap<number, ShownResult>;
}

/** Writes a file for each session into the folder; with `texts`, what the prompts say too. */
export async function openRequestLog(
  folder: string,
  { texts = false }: { texts?: boolean | undefined } = {},
): Promise<RequestLog> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  /** By the list of the prompt's items, which lives as long as the session is held. */
  const last = new WeakMap<readonly PlannedItem[], LastLine>();
  let writing: Promise<unknown> = Promise.resolve();
  let isWhole = true;
  return {
    add(request) {
      const session = request.plan.session ?? "unknown";
      const { items = [], shown = noneShown } = request.plan.prompt ?? {};
      const line = lineOf(request, { last: last.get(items), texts });
      last.set(items, { shown, length: items.length });
      const path = join(folder, `${session}.jsonl`);
      writing = writing
        .then(() => appendFile(path, `\n${JSON.stringify(line)}\n`, { mode: 0o600 }))
        .catch(() => {
          isWhole = false;
          // What comes next would refer to a line that is missing.
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

function lineOf(
  { plan, startedAtMs, durationMs, status, reported }: ProxiedRequest,
  { last, texts }: { last: LastLine | undefined; texts: boolean },
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

/** A log of one session, as far as it was read. */
interface ReadLog {
  bytes: number;
  requests: LoggedRequest[];
}

/**
 * Reads the requests of a folder by session, each with the whole of its prompt; a later call reads what was added since.
 * Lines that are cut off or of another form are passed over. A folder that is missing has none.
 */
export function createRequestLogReader(
  folder: string,
): () => Promise<Map<string, readonly LoggedRequest[]>> {
  const logs = new Map<string, ReadLog>();
  const read = async (): Promise<Map<string, readonly LoggedRequest[]>> => {
    const names = await unless(["ENOENT"], readdir(folder), []);
    const sessions = new Map<string, readonly LoggedRequest[]>();
    for (const name of names.filter((one) => one.endsWith(".jsonl")).sort()) {
      const path = join(folder, name);
      const { size } = await stat(path);
      const known = logs.get(name);
      // A file that became shorter is another one.
      const log = known === undefined || known.bytes > size ? { bytes: 0, requests: [] } : known;
      if (log.bytes < size) await readOn(path, log);
      logs.set(name, log);
      sessions.set(name.slice(0, -".jsonl".length), log.requests);
    }
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

/** Adds the whole lines that follow. */
async function readOn(path: string, log: ReadLog): Promise<void> {
  const pieces: Buffer[] = [];
  for await (const piece of createReadStream(path, { start: log.bytes })) pieces.push(piece);
  const bytes = Buffer.concat(pieces);
  const end = bytes.lastIndexOf("\n") + 1;
  log.bytes += end;
  for (const line of readLines(bytes.toString("utf8", 0, end), isLogged)) {
    const whole = wholeRequest(line, log.requests.at(-1));
    if (whole !== undefined) log.requests.push(whole);
  }
}

function wholeRequest(
  line: LoggedRequest,
  before: LoggedRequest | undefined,
): LoggedRequest | undefined {
  if (line.kept > 0 && (before === undefined || before.items.length < line.kept)) return undefined;
  const items = [...(before?.items.slice(0, line.kept) ?? []), ...line.items];
  const shown = new Map(line.kept > 0 ? before?.shown.map((one) => [one.at, one]) : []);
  for (const one of line.shown) shown.set(one.at, one);
  return { ...line, items, shown: [...shown.values()] };
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
