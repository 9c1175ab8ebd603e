import type { ChatMessage, TokenCounter } from "@ccl/core";
import { truncateMiddle } from "@ccl/core";

import { collectFacts } from "./collect-facts.ts";
import type { HistoryUnit, UnitRange } from "./history-unit.ts";

/** What facts are gathered with. */
export interface GatherOptions {
  counter: TokenCounter;
  maxTokens: number;
  /** Values that the prompt still shows elsewhere; those gathered are added. */
  seen: Set<string>;
}

const userTokens = 80;
const unitTokens = 160;
/** Words of the user come first, up to this share. */
const userShare = 0.4;

/**
 * Lines with what a later call most likely uses of units that are removed: the user's words, the calls with their
 * arguments, identifiers and short values of the results. Newest first into the limit, written in their order.
 */
export function gatherFacts(
  units: readonly HistoryUnit[],
  range: UnitRange,
  options: GatherOptions,
): string[] {
  const { counter, maxTokens } = options;
  const said = newestLines(units, range, {
    counter,
    maxTokens: maxTokens * userShare,
    kind: "user",
    lineOf: (unit) => userLine(unit, counter),
  });
  const done = newestLines(units, range, {
    counter,
    maxTokens: maxTokens - said.tokens,
    kind: "calls",
    lineOf: (unit, left) => callLine(unit, { ...options, maxTokens: Math.min(left, unitTokens) }),
  });
  return [...said.lines, ...done.lines].sort((a, b) => a.at - b.at).map(({ line }) => line);
}

const smallestLine = 12;

interface Lines {
  lines: { at: number; line: string }[];
  tokens: number;
}

interface LineWriter {
  counter: TokenCounter;
  maxTokens: number;
  kind: HistoryUnit["kind"];
  lineOf(unit: HistoryUnit, left: number): string | undefined;
}

/** Lines of units of one kind from the newest on, until one does not fit. */
function newestLines(
  units: readonly HistoryUnit[],
  { from, to }: UnitRange,
  writer: LineWriter,
): Lines {
  const { counter, maxTokens, kind, lineOf } = writer;
  const lines: Lines = { lines: [], tokens: 0 };
  for (let at = to - 1; at >= from; at--) {
    const left = maxTokens - lines.tokens - 1;
    if (left < smallestLine) break;
    const unit = units[at];
    const line = unit?.kind === kind ? lineOf(unit, left) : undefined;
    if (line === undefined) continue;
    const tokens = counter.count(line) + 1;
    if (tokens > left) break;
    lines.lines.push({ at, line });
    lines.tokens += tokens;
  }
  return lines;
}

function userLine({ messages }: HistoryUnit, counter: TokenCounter): string {
  const text = textOf(messages[0]).replace(/\s+/g, " ").trim();
  return `user: ${truncateMiddle(text, { maxTokens: userTokens, counter, marker: () => " [...] " }).text}`;
}

/** `name(arguments): facts`, for each call of the unit. */
function callLine(unit: HistoryUnit, options: GatherOptions): string | undefined {
  const [call, ...results] = unit.messages;
  const byId = new Map(results.map((result) => [result.toolCallId, result]));
  const parts: string[] = [];
  let left = options.maxTokens;
  for (const { id, name, arguments: input } of call?.toolCalls ?? []) {
    const inputs = factsOf(input, { ...options, maxTokens: Math.min(left, 60) }, false);
    const head = `${name}(${inputs})`;
    left -= options.counter.count(head) + 2;
    const result = byId.get(id);
    const facts = factsOf(textOf(result), { ...options, maxTokens: left }, true);
    const failed = result?.isError === true ? " failed" : "";
    const part = `${head}${failed}${facts === "" ? "" : `: ${facts}`}`;
    left -= options.counter.count(facts);
    parts.push(part);
    if (left < smallestLine) break;
  }
  return parts.length === 0 ? undefined : parts.join("\n");
}

/** Values by their key, those ranked high first; `isNew` leaves out what is seen already. */
function factsOf(
  text: string,
  { counter, maxTokens, seen }: GatherOptions,
  isNew: boolean,
): string {
  const facts = [...collectFacts(text)].sort((a, b) => b.rank - a.rank);
  let left = maxTokens;
  const shown: string[] = [];
  for (const { key, values } of facts) {
    const fresh = isNew ? values.filter((value) => !seen.has(value)) : values;
    if (fresh.length === 0) continue;
    left -= counter.count(key) + 2;
    const kept: string[] = [];
    for (const value of fresh) {
      const tokens = counter.count(value) + 1;
      if (tokens > left) break;
      left -= tokens;
      kept.push(value);
      seen.add(value);
    }
    if (kept.length > 0) shown.push(key === "" ? kept.join(",") : `${key}=${kept.join(",")}`);
    if (left <= 2) break;
  }
  return shown.join("; ");
}

/** The texts of a message, without its images and files. */
export function textOf(message: ChatMessage | undefined): string {
  const content = message?.content ?? "";
  if (typeof content === "string") return content;
  return content.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n");
}
