import type { TokenCounter } from "@ccl/core";
import { truncateMiddle } from "@ccl/core";

import { collectFacts } from "./collect-facts.ts";
import type { HistoryUnit, UnitRange } from "./history-unit.ts";
import { textOf } from "./message-texts.ts";

/** How many tokens of facts to gather, and which values to skip. */
interface GatherOptions {
  counter: TokenCounter;
  maxTokens: number;
  /** Values already visible elsewhere in the prompt. Gathered values are added to this set. */
  seen: Set<string>;
}

const userTokens = 80;
/** User messages that state requirements are kept whole up to this many tokens. */
const requirementTokens = 300;
/** Minimum token limit for the calls of one step. */
const unitTokens = 160;
/**
 * Largest share of the limit for user messages, which are chosen before calls. Requirements are
 * chosen before other messages.
 */
const userShare = 0.6;

/**
 * Summarizes dropped units as lines with what a later call is likely to need: user messages, calls
 * with their arguments, and identifiers and short values from results. Picks the newest first until
 * the limit is reached, then restores the original order.
 */
export function gatherFacts(
  units: readonly HistoryUnit[],
  range: UnitRange,
  options: GatherOptions,
): string[] {
  const { counter, maxTokens } = options;
  const hasCalls = units.slice(range.from, range.to).some(({ kind }) => kind === "calls");
  // User messages before the first call describe the task.
  const firstCall = hasCalls ? units.findIndex(({ kind }) => kind === "calls") : 0;
  const isRequirement = (unit: HistoryUnit): boolean =>
    (unit.indexes[0] ?? 0) < (units[firstCall]?.indexes[0] ?? 0) || statesRequirement(unit);
  const userRoom = hasCalls ? maxTokens * userShare : maxTokens;
  const requirementLines = newestLines(units, range, {
    counter,
    maxTokens: userRoom,
    kind: "user",
    lineOf: (unit) =>
      isRequirement(unit) ? userLine(unit, counter, requirementTokens) : undefined,
  });
  const otherUserLines = newestLines(units, range, {
    counter,
    maxTokens: userRoom - requirementLines.tokens,
    kind: "user",
    lineOf: (unit) => (isRequirement(unit) ? undefined : userLine(unit, counter, userTokens)),
  });
  const remaining = maxTokens - requirementLines.tokens - otherUserLines.tokens;
  const steps = units.slice(range.from, range.to).filter(({ kind }) => kind === "calls").length;
  const stepTokens = Math.max(unitTokens, remaining / Math.max(1, steps));
  const callLines = newestLines(units, range, {
    counter,
    maxTokens: remaining,
    kind: "calls",
    lineOf: (unit, room) => callLine(unit, { ...options, maxTokens: Math.min(room, stepTokens) }),
  });
  return [...requirementLines.lines, ...otherUserLines.lines, ...callLines.lines]
    .sort((a, b) => a.at - b.at)
    .map(({ line }) => line);
}

const minLineTokens = 12;

interface Lines {
  lines: { at: number; line: string }[];
  tokens: number;
}

interface LineWriter {
  counter: TokenCounter;
  maxTokens: number;
  kind: HistoryUnit["kind"];
  lineOf(unit: HistoryUnit, remaining: number): string | undefined;
}

/** Writes lines for units of one kind, newest first, until one does not fit. */
function newestLines(
  units: readonly HistoryUnit[],
  { from, to }: UnitRange,
  writer: LineWriter,
): Lines {
  const { counter, maxTokens, kind, lineOf } = writer;
  const lines: Lines = { lines: [], tokens: 0 };
  for (let at = to - 1; at >= from; at--) {
    const remaining = maxTokens - lines.tokens - 1;
    if (remaining < minLineTokens) break;
    const unit = units[at];
    const line = unit?.kind === kind ? lineOf(unit, remaining) : undefined;
    if (line === undefined) continue;
    const tokens = counter.count(line) + 1;
    if (tokens > remaining) break;
    lines.lines.push({ at, line });
    lines.tokens += tokens;
  }
  return lines;
}

/** Phrases that people use to state requirements, decisions and corrections. */
const requirementPattern =
  /\b(?:must(?:n['’]t)?|never|always|only|do(?:es)? not|don['’]t|can(?:['’]t|not) use|should(?:n['’]t)?|have to|has to|may not|need(?:s|ed)? to|required?|make sure|ensure|remember|instead|rather|actually|no longer|wrong|correction|i meant|let['’]s use|we (?:use|decided|agreed)|decided|deadline|at (?:most|least)|by (?:mon|tues|wednes|thurs|fri|satur|sun)day|without|prefer|avoid|important)\b/i;

function statesRequirement({ messages }: HistoryUnit): boolean {
  return requirementPattern.test(textOf(messages[0]).slice(0, 4_000));
}

function userLine({ messages }: HistoryUnit, counter: TokenCounter, maxTokens: number): string {
  const text = textOf(messages[0]).replace(/\s+/g, " ").trim();
  return `user: ${truncateMiddle(text, { maxTokens, counter, marker: () => " [...] " }).text}`;
}

/** Writes `name(arguments): facts` for each call in the unit. */
function callLine(unit: HistoryUnit, options: GatherOptions): string | undefined {
  const [call, ...results] = unit.messages;
  const byId = new Map(results.map((result) => [result.toolCallId, result]));
  const parts: string[] = [];
  let remaining = options.maxTokens;
  for (const { id, name, arguments: input } of call?.toolCalls ?? []) {
    const inputs = factsOf(input, { ...options, maxTokens: Math.min(remaining, 60) }, false);
    const head = `${name}(${inputs})`;
    remaining -= options.counter.count(head) + 2;
    const result = byId.get(id);
    const facts = factsOf(textOf(result), { ...options, maxTokens: remaining }, true);
    remaining -= options.counter.count(facts);
    const outcome = `${result?.isError === true ? " failed" : ""}${facts === "" ? "" : `: ${facts}`}`;
    if (inputs + outcome !== "") parts.push(head + outcome);
    if (remaining < minLineTokens) break;
  }
  return parts.length === 0 ? undefined : parts.join("\n");
}

/** Lists values by key, highest rank first. `isNew` skips values already seen. */
function factsOf(
  text: string,
  { counter, maxTokens, seen }: GatherOptions,
  isNew: boolean,
): string {
  const facts = [...collectFacts(text)].sort((a, b) => b.rank - a.rank);
  let remaining = maxTokens;
  const shown: string[] = [];
  for (const { key, values } of facts) {
    const fresh = isNew ? values.filter((value) => !seen.has(value)) : values;
    if (fresh.length === 0) continue;
    remaining -= counter.count(key) + 2;
    const shownValues: string[] = [];
    for (const value of fresh) {
      const tokens = counter.count(value) + 1;
      if (tokens > remaining) break;
      remaining -= tokens;
      shownValues.push(value);
      seen.add(value);
    }
    if (shownValues.length > 0)
      shown.push(key === "" ? shownValues.join(",") : `${key}=${shownValues.join(",")}`);
    if (remaining <= 2) break;
  }
  return shown.join("; ");
}
