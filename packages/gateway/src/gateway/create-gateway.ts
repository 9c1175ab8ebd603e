import { traced } from "@ccl/core/tracing";
import type { ArtifactStore, StoreItem } from "@ccl/artifact-store";
import { estimatedCounter, sha256Hex, type TokenCounter } from "@ccl/core";
import { untilAborted } from "@ccl/core/async";
import { parseJson } from "@ccl/core/json";
import type { Records } from "@ccl/records";

import { defaultSizes } from "../audit/audit-transcript.ts";
import { keepDecisions, readDecisions } from "../decide/kept-decisions.ts";
import { type CallState, type HistoryPlan, HistoryPlanner } from "../decide/history-planner.ts";
import type { Decision, GatewayMode, RestHint, ShownResult } from "../decide/plan-options.ts";
import { GatewayError } from "../gateway-error.ts";
import { hasWayBack } from "../history/client-tools.ts";
import { type JsonPath, type ReadRequest, readRequest } from "../history/read-request.ts";
import { editsOf, type GatewayEdit, splice } from "../json/gateway-edit.ts";
import { cacheLifetimeMs, cachePriceOf } from "../price/cache-price.ts";
import { RecentSessions } from "./recent-sessions.ts";
import { type RequestHeaders, sessionKey, tenantOf } from "./session-key.ts";
import { WorkBudget } from "./work-budget.ts";

/** Why a request went out as it came. */
export type PassReason =
  | "audit"
  | "holdout"
  | "nothing_to_do"
  /** A new session, while others took the time for reading results. */
  | "busy"
  | "unknown_shape"
  | "not_utf8"
  | "store_failed"
  | "timeout"
  | "failed";

/** What happens to a request. */
export interface GatewayPlan {
  edits: readonly GatewayEdit[];
  reason?: PassReason | undefined;
  session?: string | undefined;
  model?: string | undefined;
  /** Prices of the prompt in plain input tokens, by the price model: as it came, and as it is shown. */
  directPrice: number;
  price: number;
  /** The parts of the prompt; absent where it was not understood. */
  prompt?: Pick<HistoryPlan, "items" | "shown" | "call"> | undefined;
  /** `full` was asked for, and its tools can't get what is left out: it was handled as in `safe`. */
  isWithoutWayBack?: boolean | undefined;
}

/** Options of `createGateway`. */
export interface GatewayOptions {
  /** Keep what was decided between requests and restarts; they stay open. */
  records: Records;
  /** Keeps whole what is shown in part. */
  artifactStore: ArtifactStore;
  mode?: GatewayMode | undefined;
  /** The share of sessions that pass unchanged, for comparison; from 0 to 1. */
  holdout?: number | undefined;
  counter?: TokenCounter | undefined;
  /** How a result that is shown in part names the rest. Default: a command of `ccl artifacts`. */
  hint?: RestHint | undefined;
  /**
   * What the records keep no sooner than this after planning is left out of the request, and holds from the next one on. Requests
   * that come together read results for less time than that, and pass the rest as it came. Default: 250.
   */
  timeoutMs?: number | undefined;
  /** Milliseconds of any clock. Default: `Date.now`. */
  now?: (() => number) | undefined;
}

/** Decides how the tool results of requests are shown. Opens no socket. */
export interface Gateway {
  /** Never rejects: whatever fails gives a plan without edits and the reason. */
  plan(body: Uint8Array, headers: RequestHeaders): Promise<GatewayPlan>;
  /** The body with the edits; the same bytes where there are none. */
  apply(body: Uint8Array, plan: Pick<GatewayPlan, "edits">): Uint8Array;
}

interface Session {
  key: string;
  planner: HistoryPlanner;
  /** Decisions were kept before; they have to be repeated. */
  isKnown: boolean;
  /** Decided but not kept yet, and what has to be kept with it. */
  unkept: { decision: Decision; artifacts: readonly StoreItem[] }[];
  /** When its last request came; undefined after a restart. */
  lastMs?: number | undefined;
  keeping?: Promise<void> | undefined;
}

/** For so long requests that come together read results, or for this share of the time limit where that is more. */
const workMs = 200;
const workShare = 0.8;

/** What of sessions stays in memory; others are read from the store again. */
const sessionLimits = { maxCount: 500, maxChars: 100_000_000 };

/** Makes a gateway. Throws `invalid_options`. */
export function createGateway(options: GatewayOptions): Gateway {
  const { holdout = 0 } = options;
  if (!(holdout >= 0 && holdout <= 1))
    throw new GatewayError("invalid_options", `holdout is a share from 0 to 1, not ${holdout}.`);
  const planner = new RequestPlanner(options);
  return {
    async plan(body, headers) {
      const pass = (reason: PassReason): GatewayPlan => ({
        edits: [],
        reason,
        directPrice: 0,
        price: 0,
      });
      return await traced("gateway plan", { "ccl.body.bytes": body.length }, async (span) => {
        const plan = await planner.planNext(body, headers).catch((error) => pass(reasonOf(error)));
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
    apply: (body, { edits }) => (edits.length === 0 ? body : splice(body, edits)),
  };
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
  readonly #work: WorkBudget;
  #planning = 0;

  constructor(options: GatewayOptions) {
    this.#options = options;
    this.#now = options.now ?? Date.now;
    this.#work = new WorkBudget(Math.max(workMs, this.#timeoutMs * workShare), this.#now);
  }

  async planNext(body: Uint8Array, headers: RequestHeaders): Promise<GatewayPlan> {
    this.#planning += 1;
    try {
      return await this.#plan(body, headers);
    } finally {
      this.#planning -= 1;
    }
  }

  async #plan(body: Uint8Array, headers: RequestHeaders): Promise<GatewayPlan> {
    const nothing = { edits: [], directPrice: 0, price: 0 };
    const text = decode(body);
    if (text === undefined) return { ...nothing, reason: "not_utf8" };
    const value = parseJson(text);
    const request = readRequest(value);
    if (request === undefined) return { ...nothing, reason: "unknown_shape" };
    const { mode = "safe", holdout = 0, hint } = this.#options;
    const sent = sessionKey(value, request, headers);
    // Who asks by a hash names no session; its results name the rest otherwise than those of a proxy on the same store.
    const [key, owner] =
      hint === "hash" ? [sha256Hex(`hash ${sent}`), tenantOf(headers)] : [sent, sent];
    const isHeldOut = Number.parseInt(key.slice(0, 8), 16) / 2 ** 32 < holdout;
    const session = await this.#open(key, request);
    const isWithoutWayBack = mode === "full" && hint !== "hash" && !hasWayBack(request.tools);
    const planned = this.#planCall(session, request, {
      isCold: this.#isCold(session, request.model, text),
      mode: isWithoutWayBack ? "safe" : undefined,
    });
    if (planned === undefined) return { ...nothing, model: request.model, reason: "busy" };
    const { items, shown, decisions, call } = planned;
    const directPrice = call?.directPrice ?? 0;
    const prompt = { items, shown, call };
    const price = call?.price ?? 0;
    const rest = {
      session: key,
      model: request.model,
      directPrice,
      price,
      prompt,
      isWithoutWayBack: isWithoutWayBack || undefined,
    };
    if (mode === "audit" || isHeldOut)
      return { ...rest, edits: [], reason: isHeldOut ? "holdout" : "audit" };
    for (const decision of decisions)
      session.unkept.push({ decision, artifacts: artifactsOf(decision, { owner, request }) });
    const failure = await this.#keepAll(session);
    if (failure === undefined) {
      const edits = editsOf(text, textsOf(request, shown));
      return { ...rest, edits, reason: edits.length === 0 ? "nothing_to_do" : undefined };
    }
    const late = new Set(session.unkept.map(({ decision }) => decision));
    const kept = session.planner.without(late);
    // The store may be keeping it with the credit that it had before.
    const last = session.unkept.at(-1)?.decision;
    if (last !== undefined) session.unkept.push({ decision: { ...last }, artifacts: [] });
    const edits = editsOf(text, textsOf(request, kept));
    return {
      ...rest,
      price: directPrice,
      prompt: { ...prompt, shown: kept },
      edits,
      reason: edits.length === 0 ? failure : undefined,
    };
  }

  /** Undefined for a new session while there is no time for it: its first prompt is the longest to read. */
  #planCall(session: Session, { items }: ReadRequest, state: CallState): HistoryPlan | undefined {
    const { isLate, end } = this.#work.start(() => this.#planning === 1);
    const isNew = session.planner.chars === 0 && !session.isKnown;
    const plan = isNew && isLate() ? undefined : session.planner.plan(items, { ...state, isLate });
    end();
    return plan;
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

  /** Keeps what the request shows before it goes out; gives why that did not come about. What was begun goes on. */
  async #keepAll(session: Session): Promise<PassReason | undefined> {
    try {
      await within(this.#timeoutMs, async (signal) => {
        while (session.unkept.some(({ decision }) => decision.edits.length > 0))
          await guarded(() => this.#startKeeping(session), signal);
      });
    } catch (error) {
      return reasonOf(error);
    }
    // That nothing changes need not be waited for.
    if (session.unkept.length > 0) this.#startKeeping(session).catch(() => undefined);
    return undefined;
  }

  #startKeeping(session: Session): Promise<void> {
    session.keeping ??= this.#keep(session).finally(() => {
      session.keeping = undefined;
    });
    return session.keeping;
  }

  /** What is shown in part, then the decisions: each in one go. */
  async #keep({ key, unkept }: Session): Promise<void> {
    const { artifactStore, records } = this.#options;
    const batch = [...unkept];
    const artifacts = batch.flatMap((one) => one.artifacts);
    if (artifacts.length > 0) await artifactStore.storeMany(artifacts);
    await keepDecisions(
      records,
      key,
      batch.map(({ decision }) => decision),
    );
    unkept.splice(0, batch.length);
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
    const session: Session = { key, planner, unkept: [], isKnown: stored.length > 0 };
    this.#sessions.use(key, session);
    return session;
  }

  async #read(key: string): Promise<readonly Decision[]> {
    return await within(this.#timeoutMs, (signal) =>
      guarded(() => readDecisions(this.#options.records, key), signal),
    );
  }

  #newPlanner({ model }: ReadRequest, decisions: Map<string, Decision>): HistoryPlanner {
    const { mode = "safe", counter = estimatedCounter, hint } = this.#options;
    const price = cachePriceOf(model);
    const planned = mode === "audit" ? "full" : mode;
    return new HistoryPlanner({ mode: planned, counter, price, hint, ...defaultSizes }, decisions);
  }
}

/** What a decision shows in part, to be kept whole. */
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

/** The time in which other requests keep the process busy does not count: a store that has answered meanwhile is not late. */
async function within<Value>(
  ms: number,
  work: (signal: AbortSignal) => Promise<Value>,
): Promise<Value> {
  const controller = new AbortController();
  let steps = 10;
  const timer = setInterval(() => {
    steps -= 1;
    if (steps === 0) controller.abort(new DOMException("The store is late.", "TimeoutError"));
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

/** Undefined where it is no UTF-8. The quick decoder comes first: the one that throws takes twice its time. */
function decode(body: Uint8Array): string | undefined {
  const text = new TextDecoder("utf-8", { ignoreBOM: true }).decode(body);
  if (!text.includes("\uFFFD")) return text;
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(body);
  } catch {
    return undefined;
  }
}
