import { traced } from "@ccl/core/tracing";
import { estimatedCounter, type TokenCounter } from "@ccl/core";
import { clipTo, type Room } from "./clip.ts";
import { unwrapText } from "./json/find-json.ts";
import { applyOutline, type OutlineEntry } from "./kinds/apply-outline.ts";
import { type ContentKind, identify, type IdentifiedText } from "./kinds/identify.ts";
import { layoutOf } from "./kinds/layout-of.ts";
import { selectUnits } from "./select-units.ts";
import { findRepeat, type KnownContent } from "./repeats/find-repeat.ts";
import { isTitle, type Layout, listUnits, type Numbering } from "./unit.ts";
import { weighUnits } from "./weigh/weigh-units.ts";

/** Options of `compress`. */
export interface CompressOptions {
  /** Token limit. The result never exceeds it. */
  budget: number;
  /**
   * The question that the reader wants answered, such as the user's message and the arguments of
   * the call.
   */
  query?: string | undefined;
  /** The kind of content. Detected by default. */
  kind?: ContentKind | undefined;
  /** Counts tokens. `estimatedCounter` by default. */
  counter?: TokenCounter | undefined;
  /**
   * Converts pages to words, lists and cells. Replaces the built-in reader, for example with that
   * of `@ccl/compress/html`.
   */
  readHtml?: ((html: string) => string) | undefined;
  /**
   * Declarations of source code, which are shown by their signatures. If absent, lines that look
   * like declarations are used.
   */
  outline?: readonly OutlineEntry[] | undefined;
  /**
   * Content that the reader has already seen, oldest first. New content with the same meaning
   * becomes one line that names the known one. Similar content becomes its differences, if those
   * are shorter and fit.
   */
  known?: readonly KnownContent[] | undefined;
}

/** A range of lines or rows, counted from 1, both ends included. */
interface LineRange {
  from: number;
  to: number;
}

/** The content as the model reads it. */
export interface CompressedContent {
  text: string;
  tokens: number;
  kind: ContentKind;
  /** The content that the text refers to. Without it, the text cannot be understood. */
  known?: KnownContent | undefined;
  /**
   * True if `text`, together with `known`, contains everything in the content. Never true for HTML,
   * which loses links and styles.
   */
  isLossless: boolean;
  /** Number of shown lines or rows. `omitted` is the number of omitted ones. */
  shown: number;
  omitted: number;
  /** The omitted ranges, except blank lines. `readContent` accepts them unchanged. */
  ranges: LineRange[];
  /**
   * The unit of `ranges` and of the numbers in the text: lines of the content, or rows of its JSON,
   * table or page.
   */
  numbering: Numbering;
}

/**
 * Shows the content within `budget` tokens. If a lossless version fits, returns that, with records
 * as a table and repeated lines once. Otherwise it selects what the question asks for, failures,
 * unusual values, and the first and last lines. Lines have numbers, and marks between them show
 * what was left out. Deterministic, in time linear in the content.
 */
export function compress(content: string, options: CompressOptions): CompressedContent {
  return traced("compress", { "ccl.characters.before": content.length }, (span) => {
    const part = compressContent(content, options);
    const { kind, text, omitted, isLossless } = part;
    span.set({
      "ccl.kind": kind,
      "ccl.characters.after": text.length,
      "ccl.omitted": omitted,
      "ccl.lossless": isLossless,
    });
    return part;
  });
}

function compressContent(content: string, options: CompressOptions): CompressedContent {
  const { known = [], budget, counter = estimatedCounter } = options;
  const alone = compressAlone(content, options);
  const repeat = known.length === 0 ? undefined : findRepeat(content, known, options.kind);
  if (repeat === undefined) return alone;
  const { text, known: seen } = repeat;
  const tokens = countUpTo(text, budget, counter);
  if (tokens === undefined || (alone.isLossless && tokens >= alone.tokens)) return alone;
  const shown = alone.shown + alone.omitted;
  return {
    ...alone,
    isLossless: true,
    shown,
    omitted: 0,
    ranges: [],
    text,
    tokens,
    known: seen,
  };
}

function compressAlone(content: string, options: CompressOptions): CompressedContent {
  const { budget, query = "", counter = estimatedCounter } = options;
  const text = unwrapText(content);
  const givenKind = options.kind ?? (options.outline === undefined ? undefined : "code");
  const { kind, json }: IdentifiedText =
    givenKind === undefined ? identify(text) : { kind: givenKind };
  if (kind === "binary") return describeBinary(text, { budget, counter });
  const layout = layoutOf(text, kind, { toText: options.readHtml, json });
  const whole = shorterOf(
    [wholeText(text, layout, { kind, budget }), groupedText(text, { kind, budget })],
    { budget, counter },
  );
  if (whole !== undefined)
    return {
      ...whole,
      kind,
      numbering: layout.noun,
      isLossless: kind !== "html",
      shown: layout.units.length,
      omitted: 0,
      ranges: [],
    };
  const read = kind === "code" && options.outline ? applyOutline(layout, options.outline) : layout;
  const selection = selectUnits(read, weighUnits(read, query), { budget, counter });
  if (selection.text === "") return { ...beginning(text, layout, { budget, counter }), kind };
  const ranges = omittedRanges(selection.places, layout);
  const shown = selection.places.length;
  return {
    text: selection.text,
    tokens: selection.tokens,
    kind,
    numbering: layout.noun,
    isLossless: false,
    shown,
    omitted: layout.units.length - shown,
    ranges,
  };
}

/**
 * Joins the units into one string. Content that would not become a tenth shorter stays unchanged.
 * Undefined if the result is certainly above the budget, so that it need not be counted.
 */
function wholeText(
  text: string,
  { units }: Layout,
  { kind, budget }: { kind: ContentKind; budget: number },
): string | undefined {
  const limit = budget * charsPerToken;
  let length = -1;
  for (let at = 0; at < units.length && length <= limit; at += 1)
    length += (units.at(at)?.text.length ?? 0) + 1;
  const isJoined = length <= limit && (kind === "html" || length < text.length * 0.9);
  if (!isJoined && (kind === "html" || text.length > limit)) return undefined;
  return isJoined
    ? listUnits(units)
        .map((unit) => unit.text)
        .join("\n")
    : text;
}

/**
 * Content that exceeds the budget by this factor is not grouped, because grouping could not make it
 * fit.
 */
const groupedRatio = 4;

function groupedText(
  text: string,
  { kind, budget }: { kind: ContentKind; budget: number },
): string | undefined {
  const isFar = text.length > budget * charsPerToken * groupedRatio;
  return isFar ? undefined : groupByPrefix(text, kind);
}

/** Returns the string with fewer tokens, if it fits the budget. */
function shorterOf(
  texts: readonly (string | undefined)[],
  { budget, counter }: Room,
): { text: string; tokens: number } | undefined {
  let best: { text: string; tokens: number } | undefined;
  for (const text of texts) {
    const tokens = text === undefined ? undefined : countUpTo(text, budget, counter);
    if (text !== undefined && tokens !== undefined && tokens < (best?.tokens ?? Infinity))
      best = { text, tokens };
  }
  return best;
}

/**
 * More characters per token than any tokenizer averages. Anything longer exceeds the budget and
 * need not be counted.
 */
const charsPerToken = 16;

function countUpTo(text: string, budget: number, counter: TokenCounter): number | undefined {
  if (text.length > budget * charsPerToken) return undefined;
  const tokens = counter.count(text);
  return tokens <= budget ? tokens : undefined;
}

function omittedRanges(places: readonly number[], { units }: Layout): LineRange[] {
  const ranges: LineRange[] = [];
  const isShown = new Uint8Array(units.length);
  for (const at of places) isShown[at] = 1;
  for (let at = 0; at < units.length; at += 1) {
    const unit = isShown[at] === 1 ? undefined : units.at(at);
    if (unit === undefined || isTitle(unit)) continue;
    const { from, to } = unit;
    const last = ranges.at(-1);
    if (last !== undefined && last.to + 1 >= from && isShown[at - 1] !== 1)
      last.to = Math.max(last.to, to);
    else if (unit.text.trim() !== "") ranges.push({ from, to });
  }
  return ranges;
}

/** Cuts the text to fit, for budgets too small for any unit. */
function beginning(
  text: string,
  { units, noun }: Layout,
  room: Room,
): Omit<CompressedContent, "kind"> {
  const ranges = [{ from: 1, to: units.at(-1)?.to ?? 1 }];
  const rest = { isLossless: false, numbering: noun, shown: 0, omitted: units.length, ranges };
  return { ...clipTo(text, room), ...rest };
}

function describeBinary(text: string, { budget, counter }: Room): CompressedContent {
  const whole = `[binary content, ${text.length} characters]`;
  const tokens = counter.count(whole);
  const fits = tokens <= budget;
  return {
    text: fits ? whole : "",
    tokens: fits ? tokens : 0,
    kind: "binary",
    numbering: "lines",
    isLossless: false,
    shown: 0,
    omitted: 1,
    ranges: [{ from: 1, to: text.split("\n").length }],
  };
}

/** The prefix that a line may share with its neighbours, and the rest of the line. */
const prefixes: Partial<Record<ContentKind, RegExp>> = {
  matches: /^([^\s:]+):(\d+:.*)$/,
  listing: /^([^\s:]*\/)?([^\s:/]+\/?)$/,
};

/**
 * Groups search hits under their file and paths under their folder. A blank line ends each group,
 * and lines outside of groups stay whole. Undefined if the lines are of neither kind, or if no
 * neighbouring lines share a prefix.
 */
export function groupByPrefix(text: string, kind: ContentKind): string | undefined {
  const prefix = prefixes[kind];
  if (prefix === undefined) return undefined;
  const lines = text.replace(/\n$/, "").split("\n");
  const parts = lines.map((line) => prefix.exec(line));
  if (parts.includes(null)) return undefined;
  const shown: string[] = [];
  let isOpen = false;
  for (const [at, part] of parts.entries()) {
    const heading = part?.[1];
    const continues = heading !== undefined && heading === parts[at - 1]?.[1];
    if (!continues && at > 0 && isOpen) shown.push("");
    const opens = !continues && heading !== undefined && heading === parts[at + 1]?.[1];
    if (opens) shown.push(kind === "listing" ? `${heading}:` : heading);
    isOpen = opens || (continues && isOpen);
    shown.push(isOpen ? (part?.[2] ?? "") : (lines[at] ?? ""));
  }
  return shown.length === lines.length ? undefined : shown.join("\n");
}
