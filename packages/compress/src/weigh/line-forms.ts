import type { Units } from "../unit.ts";
import { severityOf } from "./severity.ts";

/** Lines that differ in their values only. */
export interface LineForm {
  /** Words of the form; what varies is "*". */
  words: string[];
  /** Places of its masks, in order. */
  lines: number[];
}

/** Lines by what they have in common. */
export interface LineMasks {
  masks: string[];
  /** The place in `masks` of each line. */
  maskAt: Uint32Array;
}

/** Of so many different lines the later ones are grouped by kinds of words and by their severity. */
const maxMasks = 10_000;

/** The mask of each unit, each mask once. Lines are masked where none of the same shape was. */
export function maskUnits(units: Units, maskOf?: (line: string) => string | undefined): LineMasks {
  const maskAt = new Uint32Array(units.length);
  const known = new Map<string | number, number>();
  const masks: string[] = [];
  const unmasked: string[] = [];
  const places: number[] = [];
  for (let at = 0; at < units.length; at += 1) {
    const line = units.at(at)?.text ?? "";
    const own = maskOf?.(line);
    let key = own ?? shapeOf(line, false);
    let place = known.get(key);
    if (place === undefined && own === undefined && masks.length >= maxMasks) {
      key = -1 - shapeOf(line, true) - severityOf(line);
      place = known.get(key);
    }
    if (place === undefined) {
      place = masks.push(own ?? "") - 1;
      known.set(key, place);
      if (own === undefined) {
        unmasked.push(line);
        places.push(place);
      }
    }
    maskAt[at] = place;
  }
  for (const [at, mask] of maskLines(unmasked).entries()) masks[places[at] ?? 0] = mask;
  return { masks, maskAt };
}

/**
 * A number of 53 bits that lines share which differ in digits, blanks, ids of hexadecimal digits, quoted texts and long paths
 * only, so that few lines of a large log need their mask.
 */
function shapeOf(whole: string, isCoarse: boolean): number {
  const line = whole.length > maxChars ? whole.slice(0, maxChars) : whole;
  let [low, high] = [0x811c9dc5, 0x2545f491];
  let previous = blank;
  for (let at = 0; at < line.length;) {
    let value = line.charCodeAt(at);
    const kind = kindOf(value);
    let end = at + 1;
    if (kind === quote) end = Math.max(end, line.indexOf(line.charAt(at), end) + 1);
    else if (kind > quote) {
      end = wordEnd(line, at);
      value = wordShape(line, { at, end, isCoarse });
    }
    at = end;
    if (kind === blank && previous === blank) continue;
    previous = kind;
    low = Math.imul(low ^ value, 0x01000193);
    high = Math.imul(high ^ value, 0x85ebca6b);
  }
  return (low >>> 0) * 0x20_0000 + (high >>> 11);
}

function wordEnd(line: string, start: number): number {
  let end = start + 1;
  while (end < line.length && kindOf(line.charCodeAt(end)) > quote) end += 1;
  return end;
}

function wordShape(
  line: string,
  { at: start, end, isCoarse }: { at: number; end: number; isCoarse: boolean },
): number {
  let [word, ids, digits, slashes, last] = [0, 0, 0, 0, 0];
  for (let at = start; at < end; at += 1) {
    const code = line.charCodeAt(at);
    const kind = kindOf(code);
    if (kind >= hexLetter) ids += 1;
    if (kind === digit) digits += 1;
    else if (code === slash) slashes += 1;
    if (kind !== digit || last !== digit)
      word = Math.imul(word ^ (kind === digit ? digit : code), 0x01000193);
    last = kind;
  }
  if (slashes > 1) return slash;
  if (ids === end - start && ids >= 8) return digit;
  return isCoarse ? (digits > 0 ? digit : letter) : word;
}

/** What characters are for a shape; those of words from `letter` on. */
const [other, blank, quote, letter, hexLetter, digit] = [0, 1, 2, 3, 4, 5];
const slash = 47;
const kinds = Uint8Array.from({ length: 128 }, (_, code) => {
  const char = String.fromCharCode(code);
  if (/\d/.test(char)) return digit;
  if (/[a-f]/i.test(char)) return hexLetter;
  if (/[\w.@#$*/-]/.test(char)) return letter;
  return /\s/.test(char) ? blank : /["']/.test(char) ? quote : other;
});

function kindOf(code: number): number {
  return code < 128 ? (kinds[code] ?? other) : letter;
}

const maxWords = 40;
const maxChars = 400;
const alikeShare = 0.6;
/** Forms of one length and beginning that a new one is compared with. */
const maxCompared = 24;

/** Groups masked lines that differ in few of their words. */
export function groupByForm(masks: readonly string[]): LineForm[] {
  const forms: LineForm[] = [];
  const known = new Map<string, LineForm>();
  const buckets = new Map<string, LineForm[]>();
  for (const [at, masked] of masks.entries()) {
    let form = known.get(masked);
    if (form === undefined) {
      form = joinForm(masked.split(" ", maxWords), buckets);
      known.set(masked, form);
      if (form.lines.length === 0) forms.push(form);
    }
    form.lines.push(at);
  }
  return forms;
}

/** The form that the words are alike to, or a new one. */
function joinForm(words: string[], buckets: Map<string, LineForm[]>): LineForm {
  const key = `${words.length} ${anchorOf(words)}`;
  const bucket = buckets.get(key) ?? [];
  buckets.set(key, bucket);
  const alike = bucket.find((other) => areAlike(other.words, words));
  if (alike !== undefined) {
    merge(alike.words, words);
    return alike;
  }
  const form = { words, lines: [] };
  if (bucket.length < maxCompared) bucket.push(form);
  return form;
}

/** The first 400 characters of each line, one blank between words, with digits, hexadecimal ids, quoted texts and long paths masked. */
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

// What it may begin with first: nearly all characters are passed over by that.
const values =
  /(?=[-\da-fA-F])(?:0[xX][\da-fA-F]+|\b[\da-fA-F]{8,}\b|[\da-fA-F]{8}-[\da-fA-F-]{20,}|-?\d+(?:[.:,/-]\d+)*)/g;
const quoted = /"[^"\n]*"|'[^'\n]*'/g;
const paths = /(?<![\w.@#$*-])(?:[\w.@#$*-]*\/){2,}[\w.@#$*-]*/g;

/** The first word that says something, with the level: forms that differ in it are never alike. */
function anchorOf(words: readonly string[]): string {
  const level = words.find((word) =>
    /^\W*(?:TRACE|DEBUG|INFO|NOTICE|WARN(?:ING)?|ERROR|ERR|FATAL|CRIT(?:ICAL)?|PASS(?:ED)?|FAIL(?:ED)?|SKIP(?:PED)?|not|ok)\W*$|^[✓✔√×✕✖✗✘]$/i.test(
      word,
    ),
  );
  const spoken = words.find(
    (word) => word !== level && /[a-z]{2}/i.test(word) && !/^\W*#|#\W*$/.test(word),
  );
  return `${level ?? ""} ${spoken ?? ""}`;
}

function areAlike(form: readonly string[], words: readonly string[]): boolean {
  let same = 0;
  for (const [at, word] of words.entries()) if (form[at] === word || form[at] === "*") same += 1;
  return same >= alikeShare * words.length && words.length > 3;
}

function merge(form: string[], words: readonly string[]): void {
  for (const [at, word] of words.entries()) if (form[at] !== word) form[at] = "*";
}

/** Places of the words of a form that differ from line to line. */
export function varyingWords(words: readonly string[]): number[] {
  return words.flatMap((word, at) => (/[#*]/.test(word) ? [at] : []));
}

/** The words at these places, in order, as far as a line has them. */
export function findWords(line: string, places: readonly number[]): string[] {
  const found: string[] = [];
  let [word, at] = [0, 0];
  while (at < line.length && found.length < places.length) {
    while (at < line.length && kindOf(line.charCodeAt(at)) === blank) at += 1;
    const start = at;
    while (at < line.length && kindOf(line.charCodeAt(at)) !== blank) at += 1;
    if (word === places[found.length]) found.push(line.slice(start, at));
    word += 1;
  }
  return found;
}
