import { failure, success, type Issue, type Result, type TokenCounter } from "@ccl/core";

/** A text with its long terms replaced. */
export interface ShortenedText {
  text: string;
  /** One line that explains the short terms, `L=latency_ms; RL=rate_limit`; empty when nothing was replaced. */
  legend: string;
  /** The terms in use, short to long. */
  terms: Record<string, string>;
  /** By the counter, after the legend is paid for; never negative. */
  tokensSaved: number;
}

const wordCharacter = String.raw`[\p{L}\p{M}\p{N}_$]`;
const word = new RegExp(`${wordCharacter}+`, "gu");
const wholeWord = new RegExp(`^${wordCharacter}+$`, "u");

/**
 * Replaces long terms by short ones, at the boundaries of identifiers only. A term is used where it saves more tokens
 * than its part of the legend costs, and never where its short form already is a word of the text.
 */
export function applyVocabulary(
  text: string,
  vocabulary: Readonly<Record<string, string>>,
  counter: TokenCounter,
): ShortenedText {
  const taken = new Set(text.match(word));
  let best: ShortenedText = { text, legend: "", terms: {}, tokensSaved: 0 };
  const before = counter.count(text);
  for (const { long, short } of candidates(text, vocabulary, counter)) {
    if (taken.has(short)) continue;
    const terms = { ...best.terms, [short]: long };
    const shortened = replaceTerms(
      text,
      new Map(Object.entries(terms).map(([key, value]) => [value, key])),
    );
    const legend = renderLegend(terms);
    const tokensSaved = before - counter.count(shortened) - counter.count(legend);
    if (tokensSaved <= best.tokensSaved) continue;
    taken.add(short);
    best = { text: shortened, legend, terms, tokensSaved };
  }
  return best;
}

/** The inverse of `applyVocabulary`. */
export function expandVocabulary(text: string, terms: Readonly<Record<string, string>>): string {
  const longs = new Map(Object.entries(terms));
  return text.replace(word, (found) => longs.get(found) ?? found);
}

/** The content of `vocab.json`, long to short: `{"latency_ms": "L"}`. Issues: vocabulary_not_json, vocabulary_invalid, term_invalid, short_invalid, short_ambiguous. */
export function parseVocabulary(text: string): Result<Record<string, string>> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return failure({
      code: "vocabulary_not_json",
      path: [],
      message: "The vocabulary is not JSON.",
    });
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    return failure({
      code: "vocabulary_invalid",
      path: [],
      message: "The vocabulary has to be an object of long terms to short ones.",
    });
  }
  const seen = new Map<string, string>();
  const pairs = Object.entries(value).map(([long, short]): [string, unknown] => [long, short]);
  const [first, ...rest] = pairs.flatMap(([long, short]) => checkTerm({ long, short }, seen));
  if (first !== undefined) return failure(first, ...rest);
  return success(Object.fromEntries(pairs.map(([long, short]) => [long, String(short)])));
}

function checkTerm(
  { long, short }: { long: string; short: unknown },
  seen: Map<string, string>,
): Issue[] {
  const issue = (code: string, message: string): Issue[] => [{ code, path: [long], message }];
  if (!isTerm(long))
    return issue(
      "term_invalid",
      `The term ${JSON.stringify(long)} has to start and end with a letter, digit, _ or $, and be one line without ";" and "=".`,
    );
  if (typeof short !== "string" || !wholeWord.test(short) || short.length >= long.length) {
    return issue(
      "short_invalid",
      `The short form of ${JSON.stringify(long)} has to be a shorter word of letters, digits, _ and $.`,
    );
  }
  const other = seen.get(short);
  seen.set(short, long);
  return other === undefined
    ? []
    : issue(
        "short_ambiguous",
        `${JSON.stringify(short)} already stands for ${JSON.stringify(other)}; choose another.`,
      );
}

const edge = new RegExp(`^${wordCharacter}(?:[^;=\\p{Cc}\\p{Zl}\\p{Zp}]*${wordCharacter})?$`, "u");
const isTerm = (long: string): boolean => edge.test(long);

/** Terms that stand in the text and seem to pay, those that save more first. */
function candidates(
  text: string,
  vocabulary: Readonly<Record<string, string>>,
  counter: TokenCounter,
): { long: string; short: string }[] {
  const usable = Object.entries(vocabulary).filter(
    ([long, short]) => isTerm(long) && wholeWord.test(short),
  );
  if (usable.length === 0) return [];
  const uses = new Map<string, number>();
  for (const [found] of text.matchAll(patternOf(usable.map(([long]) => long))))
    uses.set(found, (uses.get(found) ?? 0) + 1);
  return usable
    .map(([long, short]) => {
      const saved =
        (counter.count(` ${long}`) - counter.count(` ${short}`)) * (uses.get(long) ?? 0);
      return { long, short, gain: saved - counter.count(`; ${short}=${long}`) };
    })
    .filter(({ gain }) => gain > 0)
    .sort((a, b) => b.gain - a.gain || (a.long < b.long ? -1 : 1));
}

function replaceTerms(text: string, shorts: ReadonlyMap<string, string>): string {
  return text.replace(patternOf([...shorts.keys()]), (found) => shorts.get(found) ?? found);
}

/** Any of the terms as a whole, the longest first. */
function patternOf(terms: readonly string[]): RegExp {
  const longestFirst = [...terms].sort((a, b) => b.length - a.length || (a < b ? -1 : 1));
  const escaped = longestFirst.map((term) => term.replace(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`));
  return new RegExp(`(?<!${wordCharacter})(?:${escaped.join("|")})(?!${wordCharacter})`, "gu");
}

function renderLegend(terms: Readonly<Record<string, string>>): string {
  return Object.entries(terms)
    .map(([short, long]) => `${short}=${long}`)
    .join("; ");
}
