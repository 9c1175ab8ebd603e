import { parseTolerant, type ParseBudget } from "../repair/parse-tolerant.ts";
import { PlainReader } from "../repair/plain-reader.ts";
import { isQuote, punctuationAt } from "../repair/marks.ts";
import { startsBareKey } from "../repair/follows-string.ts";
import type { Repair } from "../repair/repair.ts";
import { createTextView, type TextView } from "../repair/text-view.ts";
import type { JsonSource } from "./extract-options.ts";

/** One way to read part of an answer. */
export interface Reading {
  readonly value: unknown;
  readonly repairs: readonly Repair[];
  readonly source: Omit<JsonSource, "path">;
  /** Returns the value with numbers as written. */
  readonly digits?: (() => unknown) | undefined;
}

/** All outermost values in the text, and what could not be read. */
export interface FoundCandidates {
  candidates: Reading[];
  /** Offset of the value, string or reasoning block that the end of the text cuts off. */
  truncatedAt: number | undefined;
  /** Values beyond repair. */
  broken: { position: number; reason: string; isInFence: boolean }[];
}

interface Scan extends FoundCandidates {
  view: TextView;
  budget: ParseBudget;
  position: number;
  /** End of the last reasoning block. */
  bodyStart: number;
  isInFence: boolean;
  /** True if only white space, a fence or a tag precedes this point since the last boundary. */
  isAtBodyStart: boolean;
  /** Remaining number of characters to reread after values that broke off. */
  rereads: number;
}

const STOPS = /```+|[{[(｛［【]|<\/?(?:think|thinking|thought|reasoning)\s?>/gi;
/** A bracketed word before its target: `[TOOL_CALLS][...]`, `[TOOL_CALLS]name{...`, `[text](address)`, `<![CDATA[...`. */
const LABEL = /(?<=<!)\[CDATA(?=\[)|\[[^\][{}"'`:,\d\n]{1,64}\](?=\w{0,64}[([{])|(?<=<!\[CDATA)\[/y;
const FENCE_INFO = /[ \t]*[\w+-]*/y;
const OBJECT_START =
  /[\s\p{Cf}]{0,64}(?:["'`´＂＇「『〝\p{Pi}\p{Pf}„‚}[{｛［｝#]|\\"|\/[/*]|\.\.\.|[\p{L}\p{N}_$-]{1,64}[\s\p{Cf}]{0,8}(?::(?!:)|[：=]))/uy;
const ARRAY_START =
  /[\s\p{Cf}]{0,64}(?:["“”„«＂「『〝{[\]｛［］]|(?<![\p{L}\p{N}_)\]]\[)'|['‘`＇][^'’`´＇]{0,64}['’`´＇][\s\p{Cf}]{0,8}[,，\]］]|\\"|\/[/*]|(?:[+-]?[\d._eE+-]+|true|false|null|None|True|False|undefined)[\s\p{Cf}]{0,8}[,，\]］{["\n#/])/uy;
const GLUED = /[\p{L}\p{N}_["'(]/u;
// Numbers that JavaScript may print differently.
const OTHER_SPELLING = /\d{16}|\.\d*0(?!\d)|\d[eExXn_,]|\+\d|(?<!\d)\.\d|\d\.(?!\d)|-0(?![.\d])/;
const MAX_BROKEN = 1000;
const REREAD_FACTOR = 4;
/** Maximum distance at which a value's neighbours are looked for. */
const MAX_GAP = 64;

/** Finds the values in the text in one linear pass. Recognizes strings, code fences and reasoning blocks. */
export function findCandidates(text: string, budget: ParseBudget): FoundCandidates {
  const scan: Scan = {
    view: createTextView(text),
    budget,
    position: 0,
    bodyStart: 0,
    isInFence: false,
    isAtBodyStart: true,
    rereads: text.length * REREAD_FACTOR,
    candidates: [],
    truncatedAt: undefined,
    broken: [],
  };
  for (;;) {
    STOPS.lastIndex = scan.position;
    if (!STOPS.test(text)) break;
    const end = STOPS.lastIndex;
    const last = text.charAt(end - 1);
    const start =
      last === "`" ? fenceStart(text, end) : last === ">" ? text.lastIndexOf("<", end) : end - 1;
    if (scan.isAtBodyStart) scan.isAtBodyStart = scan.view.skipSpace(scan.position) === start;
    scan.position = end;
    if (last === "`") passFence(scan);
    else if (last === ">") passTag(scan, text.slice(start, end), start);
    else readBracket(scan, start);
  }
  refuseParts(scan);
  return scan;
}

/** Rejects the values before an unmatched closing bracket, since they are parts of one that cannot be read. */
function refuseParts(scan: Scan): void {
  const { text } = scan.view;
  const sources = scan.candidates.map(({ source }) => source);
  if (sources.some(({ kind }) => kind === "fence")) return;
  let open = 0;
  let from = scan.bodyStart;
  for (const { start, end } of [...sources, { start: text.length, end: text.length }]) {
    // Extra closing brackets right after a value change nothing.
    const between = text.slice(from, start).replace(/^[\s\]}]+/, "");
    for (const [bracket] of between.matchAll(/[[\]{}]/g)) {
      open += /[[{]/.test(bracket) ? 1 : -1;
      if (open >= 0) continue;
      addBroken(scan, start, "Its opening bracket is missing");
      scan.candidates = [];
      return;
    }
    from = end;
  }
}

function fenceStart(text: string, end: number): number {
  let start = end;
  while (text[start - 1] === "`") start -= 1;
  return start;
}

function passFence(scan: Scan): void {
  scan.isInFence = !scan.isInFence;
  scan.isAtBodyStart = scan.isInFence;
  if (!scan.isInFence) return;
  FENCE_INFO.lastIndex = scan.position;
  if (FENCE_INFO.test(scan.view.text)) scan.position = FENCE_INFO.lastIndex;
}

// Handles a closing tag without an opening one: the model's chat template opened the block before the answer.
function passTag(scan: Scan, tag: string, start: number): void {
  const { text } = scan.view;
  scan.isAtBodyStart = true;
  scan.isInFence = false;
  scan.bodyStart = scan.position;
  if (tag.startsWith("</")) {
    scan.candidates = [];
    scan.broken = [];
    return;
  }
  const closing = new RegExp(`</${/\w+/.exec(tag)?.[0]}\\s?>`, "gi");
  closing.lastIndex = scan.position;
  if (!closing.test(text)) scan.truncatedAt ??= start;
  scan.position = closing.lastIndex === 0 ? text.length : closing.lastIndex;
  scan.bodyStart = scan.position;
}

function readBracket(scan: Scan, start: number): void {
  const { view, budget } = scan;
  const isBodyStart = scan.isAtBodyStart;
  scan.isAtBodyStart = false;
  if (!scan.isInFence && view.text.startsWith("```", view.skipSpace(start + 1))) return;
  LABEL.lastIndex = start;
  if (LABEL.test(view.text)) {
    scan.position = LABEL.lastIndex;
    scan.isAtBodyStart = isBodyStart && view.text[LABEL.lastIndex] !== "(";
    return;
  }
  if (
    (view.text[start] === "(" && !isBodyStart) ||
    scan.rereads < 0 ||
    scan.broken.length >= MAX_BROKEN
  )
    return;
  const reader = new PlainReader(start, budget);
  const status = reader.read(view.text, true);
  if (status === "complete" && !isGlued(scan, start, reader.position)) {
    scan.position = reader.position;
    addCandidate(scan, start, reader);
  } else {
    const isLikely = isBodyStart || status === "complete" || looksLikeJson(view.text, start);
    if (status === "more" && (isLikely || reader.repairs.length === 0))
      resumeAfterReasoning(scan, start);
    else if (reader.isTooDeep) {
      scan.position = view.text.length;
      addBroken(scan, start, `It is nested deeper than ${budget.maxDepth}`);
    } else if (isLikely) repair(scan, start, reader);
    else scan.rereads -= reader.position - start;
  }
}

function addCandidate(
  scan: Scan,
  start: number,
  { value, repairs }: Pick<PlainReader, "value" | "repairs">,
): void {
  const { view, budget, position: end, isInFence } = scan;
  if (isPart(scan, start)) {
    addBroken(scan, start, "It is part of a value that cannot be read");
    return;
  }
  scan.candidates.push({
    value,
    repairs,
    source: { kind: isInFence ? "fence" : "prose", start, end },
    digits: () => readDigits(view, start, budget),
  });
}

/**
 * True for part of an unreadable value: where that broke off, between it and a bracket that only it can have opened, or
 * after a key and before the rest of an object.
 */
function isPart({ view, position: end, broken }: Scan, start: number): boolean {
  const { text } = view;
  if (broken.at(-1)?.position === start) return true;
  const hasKey = /["'”]\s*[:：]\s*$/.test(text.slice(Math.max(0, start - MAX_GAP), start));
  const next = view.skipSpace(end);
  if (/[}\]]/.test(text.charAt(next))) return hasKey || broken.length > 0;
  return hasKey && /^,\s*["'“]/.test(text.slice(next, next + MAX_GAP));
}

/** Returns the value at an offset with numbers as written, or undefined if JavaScript prints them the same. */
function readDigits(view: TextView, start: number, budget: ParseBudget): unknown {
  if (!OTHER_SPELLING.test(view.text)) return undefined;
  const options = { ...budget, keepsDigits: true };
  const reader = new PlainReader(start, options);
  if (reader.read(view.text, true) === "complete") return reader.value;
  const parsed = parseTolerant(view, start, options);
  return parsed.status === "complete" ? parsed.value : undefined;
}

function repair(scan: Scan, start: number, { fenceAt }: PlainReader): void {
  const parsed = parseTolerant(scan.view, start, scan.budget);
  // A value that ends with its fence inside a string was cut off, even if a later end was found.
  if (
    parsed.status === "truncated" ||
    (parsed.status === "complete" && fenceAt !== undefined && parsed.end <= fenceAt)
  )
    resumeAfterReasoning(scan, start);
  else if (parsed.status === "complete") {
    scan.position = parsed.end;
    if (isGlued(scan, start, parsed.end))
      addBroken(scan, parsed.end, "The text continues after the end of its value");
    addCandidate(scan, start, parsed);
  } else {
    scan.rereads -= parsed.position - start;
    scan.position = parsed.isOverBudget
      ? scan.view.text.length
      : Math.max(scan.position, parsed.position);
    addBroken(scan, parsed.position, parsed.reason);
  }
}

function addBroken(scan: Scan, position: number, reason: string): void {
  scan.broken.push({ position, reason, isInFence: scan.isInFence });
}

// If the text starts with a value and continues without a gap, or with another key, the value may have ended too early.
// An unescaped quote before a bracket in a string can look like its end.
function isGlued({ view }: Scan, start: number, end: number): boolean {
  if (view.skipSpace(0) !== start) return false;
  const next = view.skipGap(end);
  const following = view.skipGap(next + 1);
  const isFurtherKey =
    view.text[next] === "," &&
    (isQuote(view.text[following]) || startsBareKey(view.text, following));
  return isFurtherKey || view.text[next] === ":" || GLUED.test(view.text.charAt(end));
}

// If a value seems to run to the end, it may be a bracket in reasoning whose opening tag is missing.
function resumeAfterReasoning(scan: Scan, start: number): void {
  const { text } = scan.view;
  const end =
    scan.candidates.length === 0 && scan.rereads > 0 ? text.indexOf("</think>", start) : -1;
  if (end < 0) {
    scan.truncatedAt ??= start;
    scan.position = text.length;
    return;
  }
  scan.rereads -= text.length;
  scan.position = end;
}

/** True if the text after a bracket looks more like a value than prose. */
export function looksLikeJson(text: string, start: number): boolean {
  const pattern = punctuationAt(text, start) === "{" ? OBJECT_START : ARRAY_START;
  pattern.lastIndex = start + 1;
  return pattern.test(text);
}
