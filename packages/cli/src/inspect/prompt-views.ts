import { join } from "node:path";

import { cachePriceOf } from "@ccl/gateway";
import {
  type ComparedPart,
  comparePrompts,
  type GatewayPoint,
  type GatewayView,
  type InspectorSource,
  type PromptPart,
  type TextView,
  type ViewParameters,
} from "@ccl/inspector";

import { stateFolder } from "../artifact-folder.ts";
import { CliError } from "../cli-error.ts";
import type { Session } from "../session.ts";
import { liveGateway } from "./live-gateway.ts";
import {
  addKind,
  agentSessions,
  type KindTokens,
  type PromptSession,
  recordedSessions,
  sentTokens,
  type SessionPrompt,
  sumAll,
} from "./prompt-sessions.ts";
import type { UiFlags } from "./ui-flags.ts";

type PromptViews = Pick<
  InspectorSource,
  "sessions" | "session" | "prompt" | "compared" | "text" | "gateway"
>;

const previewLength = 400;
/** The longest piece of text that the page loads at once. */
const pieceLength = 40_000;
const maxPoints = 500;

/** The prompts that were sent, from the gateway's log and the logs of coding agents. */
export function promptViews(session: Session, flags: UiFlags): Required<PromptViews> {
  const log = join(flags.state ?? stateFolder(session.terminal), "requests");
  const readGateway = recordedSessions(log);
  const readRecords = recordedSessions(flags.records ?? join(session.root, ".ccl", "records"));
  const all = async (): Promise<{ sessions: PromptSession[]; left: number }> => {
    const agents = await agentSessions(session, flags.agents);
    const sessions = [...(await readGateway()), ...(await readRecords()), ...agents.sessions];
    sessions.sort((a, b) => (b.row.timeMs ?? 0) - (a.row.timeMs ?? 0));
    return { sessions, left: agents.left };
  };
  const find = async (parameters: ViewParameters): Promise<PromptSession> => {
    const { sessions } = await all();
    const id = parameters["session"];
    const found = id === undefined ? sessions[0] : sessions.find(({ row }) => row.id === id);
    if (found !== undefined) return found;
    throw new CliError(
      "usage",
      id === undefined
        ? "No prompt was recorded yet."
        : `There is no session ${JSON.stringify(id)}.`,
    );
  };
  return {
    async sessions() {
      const { sessions, left } = await all();
      return { sessions: sessions.map(({ row }) => row), left };
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
      const one = await find(parameters);
      const { other = one.row.id, with: at } = parameters;
      const two = other === one.row.id ? one : await find({ session: other });
      const [first, second] = [promptAt(one.prompts, parameters), promptAt(two.prompts, { at })];
      const compared = comparePrompts(sentParts(first), sentParts(second));
      const { read, write, usdPerMillion } = cachePriceOf(two.row.model);
      const lost = compared.break?.lostTokens ?? 0;
      const usd = (lost * (write - read) * usdPerMillion) / 1e6;
      return {
        pairs: compared.pairs,
        break: compared.break && { ...compared.break, usd },
      };
    },
    async text(parameters) {
      const { prompts } = await find(parameters);
      const part = promptAt(prompts, parameters).parts[Number(parameters["part"] ?? 0)];
      const original = part?.text ?? "";
      const sent = part?.sent?.text ?? original;
      return pieceOf(parameters["of"] === "original" ? original : sent, parameters);
    },
    async gateway() {
      const sessions = await readGateway();
      const emptyLog = sessions.length === 0 ? log : undefined;
      const live = await liveGateway(session.terminal.env, flags, emptyLog);
      return gatewayView(sessions, live);
    },
  };
}

function promptAt(prompts: readonly SessionPrompt[], parameters: ViewParameters): SessionPrompt {
  const { at } = parameters;
  const found = at === undefined ? prompts.at(-1) : prompts[Number(at)];
  if (found !== undefined) return found;
  throw new CliError("usage", `The session has ${prompts.length} prompts, so none is ${at}.`);
}

/** The piece of a text that starts at the offset. */
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

/** The parts as they were sent. */
function sentParts({ parts }: SessionPrompt): ComparedPart[] {
  return parts.map((part) => {
    const { kind: origin, tool, callId, sent: record = part } = part;
    const { tokens, text, hash } = record;
    return { origin, tool, callId, tokens, text, hash, record };
  });
}

function gatewayView(sessions: readonly PromptSession[], live: GatewayView["live"]): GatewayView {
  const prompts = sessions.flatMap((one) => one.prompts);
  prompts.sort((a, b) => (a.row.timeMs ?? 0) - (b.row.timeMs ?? 0));
  const rows = prompts.map(({ row }) => row);
  const cached = sumAll(rows.map((row) => row.cached));
  const fresh = sumAll(rows.map((row) => row.fresh));
  return {
    requests: rows.length,
    changed: prompts.filter(({ parts }) => parts.some(({ sent }) => sent !== undefined)).length,
    usd: sumAll(rows.map(({ usd }) => usd)),
    directUsd: sumAll(rows.map(({ directUsd }) => directUsd)),
    tokens: { cached, fresh },
    reported: {
      total: sumAll(rows.map(({ reported }) => reported?.total ?? 0)),
      cached: sumAll(rows.map(({ reported }) => reported?.cached ?? 0)),
    },
    points: pointsOf(prompts),
    kinds: kindsOf(prompts),
    passed: countsOf(rows.flatMap(({ reason }) => reason ?? [])),
    statuses: countsOf(rows.map(({ status }) => String(status ?? "no answer"))),
    sessions: sessions.map(({ row }) => row).sort((a, b) => b.directUsd - a.directUsd),
    live,
  };
}

/** Cumulative sums, evenly thinned out. */
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
  const step = Math.max(1, Math.ceil(points.length / maxPoints));
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
