import { compress, identifiersOf, type KnownContent } from "@ccl/compress";
import { sha256Hex } from "@ccl/core";

import type { PlanOptions, RestHint, ShownResult } from "./plan-options.ts";

/** A result, and what the model is looking for in it. */
export interface ResultToShow {
  /** The result without text that the client added. */
  text: string;
  /** The text to store. */
  whole: string;
  tokens: number;
  /** The user's last message and the arguments of the call. */
  query: string;
}

/** Number of digits of an artifact's id to show in a prompt. */
const shownIdDigits = 12;
const hashDigits = 24;
/** Shorter results stay unchanged, since a hint would cost as much as it saves. */
const smallest = 80;
/**
 * Maximum size of a shortened result relative to the original. Models know the original format, so a change has to pay
 * off.
 */
const worthIt = 0.92;

/** Maximum share of a result to show at first. The savings pay for later cuts. Shorter results stay whole. */
const firstShare = 0.45;
const wholeBelow = 150;

/** Share of lines that an old result keeps, and of names that occur nowhere else in the prompt. */
const oldShare = 0.05;
const namesShare = 0.06;

function searchCommand(artifactId: string): string {
  return `ccl artifacts search ${artifactId.slice(0, shownIdDigits)} "words"`;
}

/** Returns the hint on how to get the rest of a result. */
function restHint({ whole, tokens }: ResultToShow, hint: RestHint = searchCommand): string {
  const id = sha256Hex(whole);
  const rest = hint === "hash" ? `hash=${id.slice(0, hashDigits)}` : hint(id);
  return `[of ${tokens} tokens; rest: ${rest}]`;
}

/**
 * Returns true for Claude Code's own excerpt of a long output. It stays unchanged, since it names the file with the
 * full output.
 */
function isExcerpt(text: string): boolean {
  return text.startsWith("<persisted-output>");
}

/** Shortens a new result, and returns what `safe` would show. Undefined if it stays unchanged. */
export function showNew(
  result: ResultToShow,
  known: readonly KnownContent[],
  options: PlanOptions,
): Partial<Record<"shown" | "safe", ShownResult | undefined>> {
  const { mode, counter, selectAbove, minTokens = 0, hint } = options;
  const { text, tokens, query } = result;
  if (mode === "audit" || tokens < smallest || isExcerpt(text)) return {};
  const wanted = Math.min(selectAbove, Math.max(wholeBelow, tokens * firstShare));
  const budget =
    mode === "full" ? Math.min(tokens, Math.ceil(Math.max(wanted, minTokens))) : tokens;
  const part = compress(text, { budget, query, counter, known });
  if (part.isLossless) {
    const form = part.known === undefined ? "lossless" : "repeat";
    const shown = part.tokens < tokens * worthIt ? ({ text: part.text, form } as const) : undefined;
    return { shown, safe: shown };
  }
  if (mode === "safe") return {};
  const { safe } = showNew(result, known, { ...options, mode: "safe" });
  const shown = `${part.text}\n${restHint(result, hint)}`.trimStart();
  const limitTokens = safe === undefined ? tokens : counter.count(safe.text);
  return {
    safe,
    shown: counter.count(shown) < limitTokens * worthIt ? { text: shown, form: "selection" } : safe,
  };
}

/** Shortens an old result. Returns undefined if that would save too little. */
export function showOld(
  result: ResultToShow,
  isShown: (name: string) => boolean,
  { counter, hint }: PlanOptions,
): ShownResult | undefined {
  const { text, tokens, query } = result;
  if (isExcerpt(text)) return undefined;
  const budget = Math.max(30, Math.min(400, Math.floor(tokens * oldShare)));
  const part = compress(text, { budget, query, counter });
  const names = identifiersOf(text).filter((name) => !part.text.includes(name) && !isShown(name));
  let list = "";
  let room = Math.min(300, Math.floor(tokens * namesShare));
  for (const name of names) {
    room -= counter.count(` ${name}`);
    if (room < 0) break;
    list += ` ${name}`;
  }
  const content = list === "" ? part.text : `${part.text}\nAlso in it:${list}`;
  const shown = `${content}\n${restHint(result, hint)}`.trimStart();
  return counter.count(shown) < tokens * 0.8 ? { text: shown, form: "cut" } : undefined;
}
