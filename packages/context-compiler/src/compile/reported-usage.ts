import { isRecord, numberAt, stringAt } from "@ccl/core/json";
import type { CountedUsage } from "../fit/safety-margin.ts";
import type { SessionEvent } from "../event/session-event.ts";
import type { Session } from "../session/session.ts";

/** Phase of the events that hold usage reported by providers. */
const phase = "model_usage";

/** Creates the event for a reported usage. Returns undefined if the report is unusable. */
export function usageEvent(
  usage: object | undefined,
  counted: { counter: string; countedTokens: number; modelId: string },
): { phase: string; output: object } | undefined {
  const reported = Object.entries(usage ?? {}).filter(([, value]) => Number.isFinite(value));
  const output = { ...counted, ...Object.fromEntries(reported) };
  return readUsage({ phase, output }) === undefined ? undefined : { phase, output };
}

/** Returns the usages in a session's log, oldest first. */
export function usagesIn({ eventLog }: Session): CountedUsage[] {
  return eventLog.filter(["phase_result"]).flatMap(({ data }) => readUsage(data) ?? []);
}

/** Reads a usage event. Returns undefined for other events or unusable data. */
function readUsage(
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
