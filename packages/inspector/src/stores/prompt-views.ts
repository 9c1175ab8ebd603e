import { formatCount } from "@ccl/core";
import { cachePriceOf } from "@ccl/gateway";

import { type ComparedPart, comparePrompts } from "../compare-prompts.ts";
import { InspectorError } from "../inspector-error.ts";
import type {
  GatewayPoint,
  GatewayView,
  InspectorSource,
  PromptPart,
  TextView,
  ViewParameters,
} from "../views.ts";
import {
  addKind,
  type AgentLog,
  agentSessions,
  type KindTokens,
  type PromptSession,
  recordedSessions,
  sentTokens,
  type SessionPrompt,
  sumBy,
} from "./prompt-sessions.ts";
import { replayPrompts } from "./replay-prompts.ts";

/** Where prompts are recorded. */
export interface PromptStores {
  /** The folder that contains a gateway's requests. */
  requests: string;
  /** The folder that `recordTo` writes to. */
  records: string;
  /** Returns the coding agents' logs and the number omitted. */
  agents: () => Promise<{ logs: readonly AgentLog[]; omitted: number }>;
  /**
   * Returns the statistics of a running gateway. `isEmpty` is true if the folder contains no
   * requests.
   */
  live: (isEmpty: boolean) => Promise<GatewayView["live"]>;
}

type PromptViews = Pick<
  InspectorSource,
  "sessions" | "session" | "prompt" | "compared" | "replay" | "text" | "gateway"
>;

const previewLength = 400;
/** Maximum number of characters that the page loads at once. */
const pieceLength = 40_000;
/** Maximum number of points in the gateway's chart. */
const maxPoints = 500;

/** Creates the views of sent prompts from the logs of a gateway, programs and coding agents. */
export function promptViews({
  requests,
  records,
  agents,
  live,
}: PromptStores): Required<PromptViews> {
  const readGateway = recordedSessions(requests);
  const readRecords = recordedSessions(records);
  const readAgents = agentSessions();
  const all = async (): Promise<{ sessions: PromptSession[]; omitted: number }> => {
    const { logs, omitted } = await agents();
    const own = [...(await readGateway()), ...(await readRecords())];
    const sessions = [...own, ...(await readAgents(logs))];
    sessions.sort((a, b) => (b.row.timeMs ?? 0) - (a.row.timeMs ?? 0));
    return { sessions, omitted };
  };
  const find = async ({ session: id }: ViewParameters): Promise<PromptSession> => {
    const { sessions } = await all();
    const found = id === undefined ? sessions[0] : sessions.find(({ row }) => row.id === id);
    if (found !== undefined) return found;
    throw new InspectorError(
      "unknown_view",
      id === undefined
        ? "No prompts have been recorded yet."
        : `Unknown session ${JSON.stringify(id)}.`,
    );
  };
  return {
    async sessions() {
      const { sessions, omitted } = await all();
      return { sessions: sessions.map(({ row }) => row), left: omitted };
    },
    async session(parameters) {
      const { row, prompts } = await find(parameters);
      return { session: row, prompts: prompts.map((prompt) => prompt.row) };
    },
    async prompt(parameters) {
      const { row, prompts } = await find(parameters);
      const prompt = promptAt(prompts, parameters);
      return { session: row, prompt: prompt.row, parts: partsOf(prompt) };
    },
    async compared(parameters) {
      const session = await find(parameters);
      const { other = session.row.id, with: at } = parameters;
      const two = other === session.row.id ? session : await find({ session: other });
      const [first, second] = [
        promptAt(session.prompts, parameters),
        promptAt(two.prompts, { at }),
      ];
      const compared = comparePrompts(sentParts(first), sentParts(second));
      const { read, write, usdPerMillion } = cachePriceOf(two.row.model);
      const lost = compared.break?.lostTokens ?? 0;
      const usd = (lost * (write - read) * usdPerMillion) / 1e6;
      return {
        pairs: compared.pairs,
        break: compared.break && { ...compared.break, usd },
      };
    },
    async replay(parameters, options) {
      const { row, prompts } = await find(parameters);
      const { budget: given = "", policy = "balanced" } = parameters;
      const budget = /^[1-9]\d{0,8}$/.test(given) ? Number(given) : 0;
      if (budget === 0 || (policy !== "balanced" && policy !== "economy"))
        throw new InspectorError(
          "invalid_options",
          `Expected a budget in tokens and a policy of balanced or economy, such as budget=8000 policy=economy; got ${JSON.stringify({ budget: given, policy })}.`,
        );
      const { model } = row;
      const replayed = await replayPrompts(prompts, { budget, policy, model, ...options });
      return { budget, policy, prompts: replayed };
    },
    async text(parameters) {
      const { prompts } = await find(parameters);
      const { part: at = "0" } = parameters;
      const part = promptAt(prompts, parameters).parts[Number(at)];
      if (part === undefined)
        throw new InspectorError("unknown_view", `The prompt has no part ${at}.`);
      const { text: original = "" } = part;
      const sent = part.sent?.text ?? original;
      return pieceOf(parameters["of"] === "original" ? original : sent, parameters);
    },
    async gateway() {
      const sessions = await readGateway();
      return gatewayView(sessions, await live(sessions.length === 0));
    },
  };
}

function promptAt(prompts: readonly SessionPrompt[], parameters: ViewParameters): SessionPrompt {
  const { at } = parameters;
  const found = at === undefined ? prompts.at(-1) : prompts[Number(at)];
  if (found !== undefined) return found;
  throw new InspectorError(
    "unknown_view",
    `The session has no prompt ${at}. It has ${formatCount(prompts.length, "prompt")}, numbered from 0.`,
  );
}

/** Returns the piece of a text that starts at the offset. */
function pieceOf(text: string, { offset = "0" }: ViewParameters): TextView {
  const from = Math.max(0, Number(offset) || 0);
  return { text: text.slice(from, from + pieceLength), offset: from, total: text.length };
}

function partsOf({ parts, unchanged }: SessionPrompt): PromptPart[] {
  return parts.map((part, at) => {
    const { kind: origin, tool, callId, tokens: directTokens, sent, handle } = part;
    const text = sent?.text ?? part.text;
    return {
      at,
      origin,
      tool,
      callId,
      tokens: sentTokens(part),
      directTokens,
      isCached: at < unchanged,
      form: sent?.form,
      why: sent?.why,
      handle,
      preview: text?.slice(0, previewLength),
      length: text?.length,
    };
  });
}

/** Returns the parts as sent. */
function sentParts({ parts }: SessionPrompt): ComparedPart[] {
  return parts.map((part) => {
    const { kind: origin, tool, callId, sent: record = part } = part;
    const { tokens, text, hash } = record;
    return { origin, tool, callId, tokens, text, hash, record };
  });
}

function gatewayView(sessions: readonly PromptSession[], live: GatewayView["live"]): GatewayView {
  const prompts = sessions.flatMap((session) => session.prompts);
  prompts.sort((a, b) => (a.row.timeMs ?? 0) - (b.row.timeMs ?? 0));
  const rows = prompts.map(({ row }) => row);
  const cached = sumBy(rows, (row) => row.cached);
  const fresh = sumBy(rows, (row) => row.fresh);
  return {
    requests: rows.length,
    changed: prompts.filter(({ isChanged }) => isChanged).length,
    usd: sumBy(rows, ({ usd }) => usd),
    directUsd: sumBy(rows, ({ directUsd }) => directUsd),
    tokens: { cached, fresh },
    reported: {
      total: sumBy(rows, ({ reported }) => reported?.total ?? 0),
      cached: sumBy(rows, ({ reported }) => reported?.cached ?? 0),
    },
    points: pointsOf(prompts),
    kinds: kindsOf(prompts),
    passed: countsOf(rows.flatMap(({ reason }) => reason ?? [])),
    statuses: countsOf(rows.map(({ status }) => String(status ?? "no answer"))),
    sessions: sessions.map(({ row }) => row).sort((a, b) => b.directUsd - a.directUsd),
    live,
  };
}

/** Computes cumulative sums, sampled at even intervals. */
function pointsOf(prompts: readonly SessionPrompt[]): GatewayPoint[] {
  let [usd, directUsd, cached, tokens] = [0, 0, 0, 0];
  const points = prompts.map(({ row }) => {
    usd += row.usd;
    directUsd += row.directUsd;
    cached += row.cached;
    tokens += row.cached + row.fresh;
    return {
      timeMs: row.timeMs ?? 0,
      usd,
      directUsd,
      cachedShare: tokens === 0 ? 0 : cached / tokens,
    };
  });
  // The last point is always shown, besides those at each step.
  const step = Math.ceil(points.length / (maxPoints - 1)) || 1;
  return points.filter((_, at) => at % step === 0 || at === points.length - 1);
}

function kindsOf(prompts: readonly SessionPrompt[]): KindTokens[] {
  const sums = new Map<string, KindTokens>();
  for (const kind of prompts.flatMap(({ kinds }) => kinds)) addKind(sums, kind);
  return [...sums.values()].sort((a, b) => b.directTokens - a.directTokens);
}

function countsOf(names: readonly string[]): [string, number][] {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return [...counts].sort(([, a], [, b]) => b - a);
}
