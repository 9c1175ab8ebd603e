import { traced } from "@ccl/core/tracing";
import type { ArtifactStore, StoreItem } from "@ccl/artifact-store";
import { estimatedCounter, sha256Hex } from "@ccl/core";
import { sleep, untilAborted } from "@ccl/core/async";
import { parseJson } from "@ccl/core/json";
import type { Records } from "@ccl/records";

import { defaultSizes } from "../audit/audit-transcript.ts";
import { keepDecisions, readDecisions } from "../decide/kept-decisions.ts";
import { type HistoryPlan, HistoryPlanner } from "../decide/history-planner.ts";
import type { Decision, GatewayMode, RestHint, ShownResult } from "../decide/plan-options.ts";
import { GatewayError } from "../gateway-error.ts";
import { hasWayBack } from "../history/client-tools.ts";
import { type JsonPath, type ReadRequest, readRequest } from "../history/read-request.ts";
import { applyEdits, editsOf, type GatewayEdit } from "../json/gateway-edit.ts";
import { cacheLifetimeMs, cachePriceOf } from "../price/cache-price.ts";
import { RecentSessions } from "./recent-sessions.ts";
import { type RequestHeaders, sessionKey, tenantOf } from "./session-key.ts";

/** Why a request was sent unchanged. */
export type PassReason =
  | "audit"
  | "holdout"
  | "nothing_to_do"
  /** The first request of a session arrived while others waited. */
  | "busy"
  | "unknown_shape"
  | "not_utf8"
  | "store_failed"
  | "timeout"
  | "failed";

/** The plan for a request. */
export interface GatewayPlan {
  edits: readonly GatewayEdit[];
  reason?: PassReason | undefined;
  session?: string | undefined;
  model?: string | undefined;
  /** Prices of the prompt by the price model, in plain input tokens: unchanged and as shown. */
  directPrice: number;
  price: number;
  /** The parts of the prompt. Absent if the request could not be parsed. */
  prompt?: Pick<HistoryPlan, "items" | "shown" | "call"> | undefined;
  /** True if `full` was requested but `safe` was used, since the request has no tool to get omitted content. */
  isWithoutWayBack?: boolean | undefined;
}

/** Options of `createGateway`. */
export interface GatewayOptions {
  /** Stores decisions between requests and across restarts. The caller closes it. */
  records: Records;
  /** Stores the full text of shortened results. */
  artifactStore: ArtifactStore;
  mode?: GatewayMode | undefined;
  /** Share of sessions to leave unchanged for comparison, from 0 to 1. */
  holdout?: number | undefined;
  /** How a shortened result refers to the omitted rest. Default: a `ccl artifacts` command. */
  hint?: RestHint | undefined;
  /**
   * Time limit for storing decisions. Changes that are stored later apply from the next request on. Concurrent requests
   * each read results for a 25th of this time, and send the rest unchanged. Default: 250.
   */
  timeoutMs?: number | undefined;
  /** Returns the time in milliseconds, from any clock. Default: `Date.now`. */
  now?: (() => number) | undefined;
}

/** Decides how to show the tool results of requests. Does no network I/O. */
export interface Gateway {
  /**
   * Never rejects. If planning fails, the plan has a reason and no edits. `isAlone` returns false while other requests
   * wait.
   */
  plan(body: Uint8Array, headers: RequestHeaders, isAlone?: () => boolean): Promise<GatewayPlan>;
  /** Applies the edits to the body. Returns the same bytes if there are no edits. */
  apply(body: Uint8Array, plan: Pick<GatewayPlan, "edits">): Uint8Array;
}

interface Session {
  key: string;
  planner: HistoryPlanner;
  /** True if the session has stored decisions, which have to be repeated. */
  isKnown: boolean;
  /** Decisions not stored yet, with the artifacts to store before them. */
  unstored: { decision: Decision; artifacts: readonly StoreItem[] }[];
  /** Time of its last request. Undefined after a restart. */
  lastMs?: number | undefined;
  storing?: Promise<void> | undefined;
}

/** Share of the time limit for which a request may read results: alone, and while others wait. */
const [aloneShare, busyShare] = [3, 0.04];

/** How long to plan one request before letting other requests in. */
const stepMs = 4;

/** Limits on the sessions held in memory. Other sessions are read from the store again. */
const sessionLimits = { maxCount: 500, maxChars: 100_000_000 };

/**
 * Creates a gateway.
 * @throws GatewayError `invalid_options`
 */
export function createGateway(options: GatewayOptions): Gateway {
  const { holdout = 0 } = options;
  if (!(holdout >= 0 && holdout <= 1))
    throw new GatewayError(
      "invalid_options",
      `holdout must be a share from 0 to 1, not ${holdout}.`,
    );
  const planner = new RequestPlanner(options);
  return {
    async plan(body, headers, isAlone = () => true) {
      return await traced("gateway plan", { "ccl.body.bytes": body.length }, async (span) => {
        const plan = await planner
          .planNext(body, headers, isAlone)
          .catch((error) => passed(reasonOf(error)));
        const { model, directPrice, price, reason, edits } = plan;
        span.set({
          "gen_ai.request.model": model,
          "ccl.price.before": directPrice,
          "ccl.price.after": price,
          "ccl.edits": edits.length,
          "ccl.passed.reason": reason,
        });
        return plan;
      });
    },
    apply(body, { edits }) {
      const text = edits.length === 0 ? undefined : decode(body);
      return text === undefined ? body : new TextEncoder().encode(applyEdits(text, edits));
    },
  };
}

function passed(reason: PassReason, model?: string): GatewayPlan {
  return { edits: [], reason, model, directPrice: 0, price: 0 };
}

class StoreFailure extends Error {}

function reasonOf(error: unknown): PassReason {
  if (error instanceof Error && error.name === "TimeoutError") return "timeout";
  return error instanceof StoreFailure ? "store_failed" : "failed";
}

class RequestPlanner {
  readonly #options: GatewayOptions;
  readonly #sessions = new RecentSessions<Session>(sessionLimits);
  readonly #now: () => number;
  /** Settles with the last plan started, since a planner handles one call at a time. */
  #turn: Promise<unknown> = Promise.resolve();
  #planning = 0;

  constructor(options: GatewayOptions) {
    this.#options = options;
    this.#now = options.now ?? Date.now;
  }

  async planNext(
    body: Uint8Array,
    headers: RequestHeaders,
    isAlone: () => boolean,
  ): Promise<GatewayPlan> {
    this.#planning += 1;
    try {
      return await this.#plan(body, headers, () => this.#planning === 1 && isAlone());
    } finally {
      this.#planning -= 1;
    }
  }

  async #plan(
    body: Uint8Array,
    headers: RequestHeaders,
    isAlone: () => boolean,
  ): Promise<GatewayPlan> {
    const text = decode(body);
    if (text === undefined) return passed("not_utf8");
    const value = parseJson(text);
    const request = readRequest(value);
    if (request === undefined) return passed("unknown_shape");
    const { mode = "safe", holdout = 0, hint } = this.#options;
    const sent = sessionKey(value, request, headers);
    // A hash is valid for one caller only, and its hints differ from those of a proxy that uses the same store.
    const tenant = tenantOf(headers);
    const [key, owner] =
      hint === "hash" ? [sha256Hex(`hash ${tenant} ${sent}`), tenant] : [sent, sent];
    const isHeldOut = Number.parseInt(key.slice(0, 8), 16) / 2 ** 32 < holdout;
    const session = await this.#open(key, request);
    const isWithoutWayBack = mode === "full" && hint !== "hash" && !hasWayBack(request.tools);
    let startedMs = 0;
    const steps = session.planner.steps(request.items, {
      isLate: () =>
        this.#now() - startedMs >= this.#timeoutMs * (isAlone() ? aloneShare : busyShare),
      isCold: this.#isCold(session, request.model, text),
      mode: isWithoutWayBack ? "safe" : undefined,
    });
    const turn = this.#turn.then(() => {
      startedMs = this.#now();
      return this.#finish(steps);
    });
    this.#turn = turn.catch(() => undefined);
    const { items, shown, decisions, call } = await turn;
    const { directPrice = 0, price = 0 } = call ?? {};
    const rest = {
      session: key,
      model: request.model,
      directPrice,
      price,
      prompt: { items, shown, call },
      isWithoutWayBack: isWithoutWayBack || undefined,
    };
    if (mode === "audit" || isHeldOut)
      return { ...rest, edits: [], reason: isHeldOut ? "holdout" : "audit" };
    for (const decision of decisions) {
      // A session that has never been changed has nothing to repeat.
      session.isKnown ||= decision.edits.length > 0;
      if (session.isKnown)
        session.unstored.push({ decision, artifacts: artifactsOf(decision, { owner, request }) });
    }
    const failure = await this.#storeAll(session);
    if (failure !== undefined) {
      const late = new Set(session.unstored.map(({ decision }) => decision));
      rest.prompt.shown = session.planner.without(late);
      rest.price = directPrice;
      // The store may still be writing the decision with its old credit.
      const last = session.unstored.at(-1)?.decision;
      if (last !== undefined) session.unstored.push({ decision: { ...last }, artifacts: [] });
    }
    const edits = editsOf(text, textsOf(request, rest.prompt.shown));
    const reason = edits.length === 0 ? (failure ?? "nothing_to_do") : undefined;
    return { ...rest, edits, reason };
  }

  async #finish(steps: Generator<void, HistoryPlan>): Promise<HistoryPlan> {
    for (let startedMs = this.#now(); ;) {
      const { done, value } = steps.next();
      if (done === true) return value;
      if (this.#now() - startedMs < stepMs) continue;
      await sleep(0);
      startedMs = this.#now();
    }
  }

  #isCold(session: Session, model: string | undefined, text: string): boolean {
    const nowMs = this.#now();
    const { lastMs = nowMs } = session;
    session.lastMs = nowMs;
    return nowMs - lastMs > cacheLifetimeMs(model, text);
  }

  get #timeoutMs(): number {
    return this.#options.timeoutMs ?? 250;
  }

  /**
   * Stores the request's decisions before it is sent. Returns the reason on failure. A write that has started
   * continues.
   */
  async #storeAll(session: Session): Promise<PassReason | undefined> {
    try {
      await within(this.#timeoutMs, async (signal) => {
        while (session.unstored.some(({ decision }) => decision.edits.length > 0))
          await guarded(() => this.#startStoring(session), signal);
      });
    } catch (error) {
      return reasonOf(error);
    }
    // Decisions without edits are not waited for.
    if (session.unstored.length > 0) this.#startStoring(session).catch(() => undefined);
    return undefined;
  }

  #startStoring(session: Session): Promise<void> {
    session.storing ??= this.#store(session).finally(() => {
      session.storing = undefined;
    });
    return session.storing;
  }

  /** Stores the artifacts, then the decisions, each in one batch. */
  async #store({ key, unstored }: Session): Promise<void> {
    const { artifactStore, records } = this.#options;
    const batch = [...unstored];
    const artifacts = batch.flatMap((entry) => entry.artifacts);
    if (artifacts.length > 0) await artifactStore.storeMany(artifacts);
    await keepDecisions(
      records,
      key,
      batch.map(({ decision }) => decision),
    );
    unstored.splice(0, batch.length);
  }

  async #open(key: string, request: ReadRequest): Promise<Session> {
    const open = this.#sessions.get(key);
    if (open !== undefined) {
      if (open.planner.isBehind(request.items)) open.planner.learn(await this.#read(key));
      return open;
    }
    const stored = await this.#read(key);
    const decisions = new Map(stored.map((decision) => [decision.at, decision]));
    const planner = this.#newPlanner(request, decisions);
    const session: Session = { key, planner, unstored: [], isKnown: stored.length > 0 };
    this.#sessions.use(key, session);
    return session;
  }

  async #read(key: string): Promise<readonly Decision[]> {
    return await within(this.#timeoutMs, (signal) =>
      guarded(() => readDecisions(this.#options.records, key), signal),
    );
  }

  #newPlanner({ model }: ReadRequest, decisions: Map<string, Decision>): HistoryPlanner {
    const { mode = "safe", hint } = this.#options;
    const price = cachePriceOf(model);
    const planned = mode === "audit" ? "full" : mode;
    const counter = estimatedCounter;
    return new HistoryPlanner({ mode: planned, counter, price, hint, ...defaultSizes }, decisions);
  }
}

/** Returns the full text of each result that a decision shortens. */
function artifactsOf(
  { edits }: Decision,
  { owner, request }: { owner: string; request: ReadRequest },
): StoreItem[] {
  return edits.flatMap(([place, { form }]) => {
    const item = request.items[place];
    if (item === undefined || (form !== "selection" && form !== "cut")) return [];
    const source = `tool:${item.tool ?? "unknown"}`;
    return [{ content: item.text, source, sessionId: owner, mimeType: "text/plain" }];
  });
}

function textsOf(
  { items }: ReadRequest,
  shown: ReadonlyMap<number, ShownResult>,
): Map<JsonPath, string> {
  const texts = new Map<JsonPath, string>();
  for (const [place, { text }] of shown) {
    const path = items[place]?.path;
    if (path !== undefined) texts.set(path, text);
  }
  return texts;
}

/**
 * Limits a wait, not counting time in which other requests block the process. A store that answered meanwhile is not
 * late.
 */
async function within<Value>(
  ms: number,
  work: (signal: AbortSignal) => Promise<Value>,
): Promise<Value> {
  const controller = new AbortController();
  let steps = 10;
  const timer = setInterval(() => {
    steps -= 1;
    if (steps === 0)
      controller.abort(new DOMException("The store did not answer in time.", "TimeoutError"));
  }, ms / steps);
  try {
    return await work(controller.signal);
  } finally {
    clearInterval(timer);
  }
}

async function guarded<Value>(work: () => Promise<Value>, signal: AbortSignal): Promise<Value> {
  try {
    return await untilAborted(work(), signal);
  } catch (cause) {
    if (signal.aborted) throw signal.reason;
    throw new StoreFailure("The store failed.", { cause });
  }
}

/** Decodes UTF-8. Returns undefined if the bytes are invalid. */
function decode(body: Uint8Array): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(body);
  } catch {
    return undefined;
  }
}
