import { compress, identifiersOf, type KnownContent } from "@ccl/compress";
import { sha256Hex } from "@ccl/core";

import type { PlanOptions, RestHint, ShownResult } from "./plan-options.ts";

/** A result and what it is read for. */
export interface ResultToShow {
  /** Without the words of its client. */
  text: string;
  /** As it is kept. */
  whole: string;
  tokens: number;
  /** The user's last words and the arguments of the call. */
  query: string;
}

/** Digits of an artifact's id that a prompt shows. */
const shownIdDigits = 12;
const hashDigits = 24;
/** Shorter results are never touched: what a hint costs would eat the gain. */
const minTokens = 80;
/** A form has to be shorter by this share, so that a model reads what it is used to unless that pays. */
const worthIt = 0.92;

/** The share of a result that is shown at its first sight; what that saves pays for later cuts. Shorter ones stay whole. */
const firstShare = 0.8;
const wholeBelow = 400;

/** What stays of an old result: lines, and names that stand nowhere else in the prompt. */
const oldShare = 0.08;
const namesShare = 0.2;

function searchCommand(artifactId: string): string {
  return `ccl artifacts search ${artifactId.slice(0, shownIdDigits)} "words"`;
}

/** How a model gets the rest of a result that it sees in part. */
function restHint({ whole, tokens }: ResultToShow, hint: RestHint = searchCommand): string {
  const id = sha256Hex(whole);
  const rest = hint === "hash" ? `hash=${id.slice(0, hashDigits)}` : hint(id);
  return `[of ${tokens} tokens; rest: ${rest}]`;
}

/** Claude Code's own excerpt of a long output: what says where the whole is must stay as it is. */
function isExcerpt(text: string): boolean {
  return text.startsWith("<persisted-output>");
}

/** The result at its first sight; undefined where it is shown as it came. */
export function showNew(
  result: ResultToShow,
  known: readonly KnownContent[],
  { mode, counter, selectAbove, hint }: PlanOptions,
): ShownResult | undefined {
  const { text, tokens, query } = result;
  if (mode === "audit" || tokens < minTokens || isExcerpt(text)) return undefined;
  const limit = Math.max(wholeBelow, Math.floor(tokens * firstShare));
  const budget = mode === "full" ? Math.min(tokens, limit, selectAbove) : tokens;
  const part = compress(text, { budget, query, counter, known });
  if (part.isLossless)
    return part.tokens < tokens * worthIt
      ? { text: part.text, form: part.known === undefined ? "lossless" : "repeat" }
      : undefined;
  const shown = `${part.text}\n${restHint(result, hint)}`.trimStart();
  return part.tokens + 24 < tokens * worthIt ? { text: shown, form: "selection" } : undefined;
}

/** What is left of an old result; undefined where that would hardly be less. */
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
  const kept = list === "" ? part.text : `${part.text}\nAlso in it:${list}`;
  const shown = `${kept}\n${restHint(result, hint)}`.trimStart();
  return counter.count(shown) < tokens * 0.8 ? { text: shown, form: "cut" } : undefined;
}
