import type { TokenCounter } from "@ccl/core";
import { isRecord, numberAt, stringAt } from "@ccl/core/json";
import type { SessionEvent } from "../session/session-event.ts";

/** What a counter counted of a prompt, and what the provider reported of it. */
export interface CountedUsage {
  counter: string;
  countedTokens: number;
  inputTokens: number;
}

/** The phase of the events that hold what providers reported. */
const phase = "model_usage";
const lastCalls = 8;
/** A provider that adds a prompt of its own reports many times what a short prompt takes. */
const maxRatio = 2;
const estimateMargin = 0.1;

/** The data of the event; undefined where nothing usable was reported. */
export function usageEvent(
  usage: object | undefined,
  counted: { counter: string; countedTokens: number; modelId: string },
): { phase: string; output: object } | undefined {
  const reported = Object.entries(usage ?? {}).filter(([, value]) => Number.isFinite(value));
  const output = { ...counted, ...Object.fromEntries(reported) };
  return readUsage({ phase, output }) === undefined ? undefined : { phase, output };
}

/** What such an event says; undefined for another event, or one that holds nothing usable. */
export function readUsage(
  data: Pick<SessionEvent<"phase_result">["data"], "phase" | "output">,
): CountedUsage | undefined {
  const { output } = data;
  if (data.phase !== phase || !isRecord(output)) return undefined;
  const counter = stringAt(output, "counter");
  const countedTokens = numberAt(output, "countedTokens") ?? 0;
  const inputTokens = numberAt(output, "inputTokens") ?? 0;
  if (counter === undefined || countedTokens <= 0 || inputTokens <= 0) return undefined;
  return { counter, countedTokens, inputTokens };
}

/**
 * The share of a budget to keep back under a counter: a tenth under an estimate, which grows and shrinks as the last calls
 * were reported above or below what was counted; nothing under an exact counter.
 */
export function safetyMarginOf(
  { name, isExact }: TokenCounter,
  usages: readonly CountedUsage[],
): number {
  if (isExact) return 0;
  const own = usages.filter(({ counter }) => counter === name).slice(-lastCalls);
  const counted = own.reduce((sum, { countedTokens }) => sum + countedTokens, 0);
  const reported = own.reduce((sum, { inputTokens }) => sum + inputTokens, 0);
  if (counted === 0) return estimateMargin;
  const ratio = Math.min(maxRatio, reported / counted);
  const margin = 1 - (1 - estimateMargin) / ratio;
  return Math.max(0, Math.ceil(margin * 100 - 1e-6) / 100);
}
