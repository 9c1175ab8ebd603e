import { estimatedCounter, type TokenCounter } from "@ccl/core";

import { clipTo } from "./clip.ts";
import { unwrapText } from "./json/find-json.ts";
import { identify } from "./kinds/identify.ts";
import { layoutOf } from "./kinds/layout-of.ts";
import {
  headerLabel,
  isTitle,
  type Layout,
  lineUnits,
  listUnits,
  type Numbering,
  type Unit,
} from "./unit.ts";

/** Options of `readContent`. */
interface ReadContentOptions {
  /** First and last line or row, numbered as by `compress` from 1. Both are included. */
  from: number;
  to: number;
  /** Token limit. 400 by default. */
  budget?: number | undefined;
  /** Counts tokens. `estimatedCounter` by default. */
  counter?: TokenCounter | undefined;
  /** As for `compress`. */
  readHtml?: ((html: string) => string) | undefined;
}

/** A range of the content's lines or rows. */
interface ContentPiece {
  /** Unchanged lines, or rows with their numbers below the names of their columns. */
  text: string;
  tokens: number;
  numbering: Numbering;
  /** The last line or row in the text, and the last one of the content. */
  to: number;
  last: number;
  /** True if the last line or row was cut because it exceeds the budget by itself. */
  isCut: boolean;
}

/**
 * Reads lines or rows that `compress` left out, by the numbers in its text. Stops when the budget
 * is used up.
 */
export function readContent(content: string, options: ReadContentOptions): ContentPiece {
  const { budget = 400, counter = estimatedCounter } = options;
  const text = unwrapText(content);
  const { kind, json } = identify(text);
  const isTable = kind === "json" || kind === "delimited" || kind === "html";
  const layout = isTable
    ? layoutOf(text, kind, { toText: options.readHtml, json })
    : plainLines(text);
  const { units, noun } = layout;
  const last = units.at(-1)?.to ?? 0;
  const from = Math.max(1, Math.trunc(options.from));
  const selected = listUnits(units).filter(
    (unit) => !isTitle(unit) && unit.to >= from && unit.from <= options.to,
  );
  const rest = { numbering: noun, last };
  const shownOf = (count: number): string => render(selected.slice(0, count), layout);
  let shown = 0;
  let high = affordable(selected, budget * maxCharsPerToken);
  while (shown < high) {
    const middle = (shown + high + 1) >> 1;
    if (counter.count(shownOf(middle)) <= budget) shown = middle;
    else high = middle - 1;
  }
  const [first] = selected;
  if (shown === 0 && first !== undefined) {
    return { ...rest, ...clipTo(shownOf(1), { budget, counter }), to: first.to, isCut: true };
  }
  const whole = shownOf(shown);
  const to = selected[shown - 1]?.to ?? Math.min(last, from - 1);
  return { ...rest, text: whole, tokens: counter.count(whole), to, isCut: false };
}

const maxCharsPerToken = 16;

function plainLines(text: string): Layout {
  const lines = text.split("\n");
  if (lines.length > 1 && lines.at(-1) === "") lines.pop();
  return { units: lineUnits(lines), style: "gaps", noun: "lines", context: 0, hasForms: false };
}

function affordable(units: readonly Unit[], maxChars: number): number {
  let chars = 0;
  for (const [count, { text }] of units.entries()) {
    chars += text.length;
    if (chars > maxChars) return count;
  }
  return units.length;
}

/** Puts rows below the names of their columns. */
function render(selected: readonly Unit[], { units, noun }: Layout): string {
  const lines: string[] = [];
  let header: number | undefined;
  for (const { text, cells, from, head } of selected) {
    if (cells !== undefined && head !== undefined && head !== header) {
      const { head: title, text: names = "" } = units.at(head) ?? {};
      if (title !== undefined) lines.push(units.at(title)?.text ?? "");
      lines.push(`${headerLabel}|${names}`);
      header = head;
    }
    lines.push(noun === "lines" ? text : `${from}${cells === undefined ? ": " : "|"}${text}`);
  }
  return lines.join("\n");
}
