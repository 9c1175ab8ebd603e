import { type Layout, listUnits } from "../unit.ts";

/** A group of lines that differ only in their values. */
export interface LineForm {
  /** Words of the form. Varying words are "*". */
  words: string[];
  /** Indexes of the form's masks, in order. */
  lines: number[];
}

/** The masks of lines. */
export interface LineMasks {
  masks: string[];
  /** The index in `masks` for each line. */
  maskAt: Uint32Array;
}

/**
 * Masks each unit and lists each mask once. If lines differ only in digits, only the first is
 * masked.
 */
export function maskUnits({
  units,
  maskOf,
  bodyOf,
}: Pick<Layout, "units" | "maskOf" | "bodyOf">): LineMasks {
  const shapes = new Map<string, number>();
  const lines: string[] = [];
  const own: (string | undefined)[] = [];
  const shapeAt = Uint32Array.from(listUnits(units), ({ text }) => {
    const line = bodyOf?.(text) ?? text;
    const mask = maskOf?.(text);
    const shape = mask ?? line.slice(0, maxChars).replace(/\d+/g, "0");
    const place = shapes.get(shape) ?? lines.push(line) - 1;
    shapes.set(shape, place);
    own[place] = mask;
    return place;
  });
  const known = new Map<string, number>();
  const masks: string[] = [];
  const places = maskLines(lines).map((masked, at) => {
    const mask = own[at] ?? masked;
    const place = known.get(mask) ?? masks.push(mask) - 1;
    known.set(mask, place);
    return place;
  });
  return { masks, maskAt: shapeAt.map((shape) => places[shape] ?? 0) };
}

const maxWords = 40;
const maxChars = 400;
const alikeShare = 0.7;
/**
 * A word is common if this share of the kinds of masks contains it, and the minimum number of kinds
 * does.
 */
const [commonShare, minKinds] = [0.3, 8];
/** Number of forms with the same length and beginning that a new mask is compared with. */
const maxCompared = 24;

/** Groups masks that differ in few words. */
export function groupByForm(masks: readonly string[]): LineForm[] {
  const forms: LineForm[] = [];
  const known = new Map<string, LineForm>();
  const buckets = new Map<string, LineForm[]>();
  const common = commonWords(masks);
  for (const [at, masked] of masks.entries()) {
    let form = known.get(masked);
    if (form === undefined) {
      form = joinForm(masked.split(" ", maxWords), buckets, common);
      known.set(masked, form);
      if (form.lines.length === 0) forms.push(form);
    }
    form.lines.push(at);
  }
  return forms;
}

/** Finds a form that resembles the words, or adds one. */
function joinForm(
  words: string[],
  buckets: Map<string, LineForm[]>,
  common: ReadonlySet<string>,
): LineForm {
  const key = `${words.length} ${anchorOf(words)}`;
  const bucket = buckets.get(key) ?? [];
  buckets.set(key, bucket);
  const alike = bucket.find((other) => areAlike(other.words, words, common));
  if (alike !== undefined) {
    merge(alike.words, words);
    return alike;
  }
  const form = { words, lines: [] };
  if (bucket.length < maxCompared) bucket.push(form);
  return form;
}

/**
 * Masks the first 400 characters of each line. White space becomes one blank, and digits,
 * hexadecimal ids, quoted strings and long paths become masks.
 */
export function maskLines(lines: readonly string[]): string[] {
  const masked = lines
    .map((line) => (line.length > maxChars ? line.slice(0, maxChars) : line))
    .join("\n")
    .replace(values, "#")
    .replace(quoted, "'*'")
    .replace(paths, "/*")
    .replace(/[^\S\n]{2,}|[^\S\n ]/g, " ")
    .split("\n");
  for (let at = 0; at < masked.length; at += 1) masked[at] = (masked[at] ?? "").trim();
  return masked;
}

// The lookahead lists the characters that can begin a value, so that nearly all others are skipped
// quickly.
const values =
  /(?=[-\da-fA-F])(?:0[xX][\da-fA-F]+|\b[\da-fA-F]{8,}\b|[\da-fA-F]{8}-[\da-fA-F-]{20,}|-?\d+(?:[.:,/-]\d+)*)/g;
const quoted = /"[^"\n]*"|'[^'\n]*'/g;
const paths = /(?<![\w.@#$*-])(?:[\w.@#$*-]*\/){2,}[\w.@#$*-]*/g;

/** Returns the level and the first meaningful word. Forms that differ in either are never alike. */
function anchorOf(words: readonly string[]): string {
  const level = words.find((word) =>
    /^\W*(?:TRACE|DEBUG|INFO|NOTICE|WARN(?:ING)?|ERROR|ERR|FATAL|CRIT(?:ICAL)?|PASS(?:ED)?|FAIL(?:ED)?|SKIP(?:PED)?|not|ok)\W*$|^[✓✔√×✕✖✗✘]$/i.test(
      word,
    ),
  );
  const subject = words.find(
    (word) => word !== level && /[a-z]{2}/i.test(word) && !/^\W*#|#\W*$/.test(word),
  );
  return `${level ?? ""} ${subject ?? ""}`;
}

function areAlike(
  form: readonly string[],
  words: readonly string[],
  common: ReadonlySet<string>,
): boolean {
  let same = 0;
  let own = 0;
  for (const [at, word] of words.entries()) {
    const isSame = form[at] === word;
    if (isSame && common.has(word)) continue;
    own += 1;
    if (isSame || form[at] === "*") same += 1;
  }
  return same >= alikeShare * own && words.length > 3;
}

/**
 * Returns the words that occur in many kinds of masks, such as a facility. They do not help to
 * decide which masks are alike.
 */
function commonWords(masks: readonly string[]): ReadonlySet<string> {
  const holders = new Map<string, Set<string>>();
  const kinds = new Set<string>();
  for (const mask of masks) {
    const words = mask.split(" ", maxWords);
    const kind = `${words.length} ${anchorOf(words)}`;
    kinds.add(kind);
    for (const word of words) {
      const held = holders.get(word) ?? new Set();
      holders.set(word, held.add(kind));
    }
  }
  const limit = Math.max(minKinds, commonShare * kinds.size);
  return new Set([...holders].flatMap(([word, held]) => (held.size >= limit ? word : [])));
}

function merge(form: string[], words: readonly string[]): void {
  for (const [at, word] of words.entries()) if (form[at] !== word) form[at] = "*";
}

/** Returns the places of the words in a form that vary between lines. */
export function varyingWords(words: readonly string[]): number[] {
  return words.flatMap((word, at) => (/[#*]/.test(word) ? [at] : []));
}

/** Finds the words at these places in order, as far as the line has them. */
export function findWords(line: string, places: readonly number[]): string[] {
  const words = line.trim().split(/\s+/, (places.at(-1) ?? -1) + 1);
  return places.flatMap((place) => words[place] ?? []);
}
