import { dotted, matchEnd } from "./secret-characters.ts";
import { secretNameLevel, type SecretNameLevel } from "./secret-names.ts";
import { isPlaceholder } from "./secret-placeholder.ts";
import type { SecretFinding, SecretSource } from "./secret-source.ts";
import { valueRange, type ValueRange } from "./secret-values.ts";

/** How a name is joined to its value; `tag` is `<name>value</name>`, `option` is `--name value`. */
type Join = "assignment" | "colon" | "tag" | "option";

interface Pair {
  level: SecretNameLevel;
  name: string;
  nameStart: number;
  join: Join;
  value: ValueRange;
  kind: string;
}

const nameLimit = 80;
const joint = /(?:\\{0,7}["'`]\]?)?[?!]?[ \t]{0,12}(?:=>|:=|([:=])(?![:=~>]))[ \t]{0,12}(?:[bBrRfFuU]{1,2}(?=["']))?/y;
const scheme = /(?:(bearer)|(basic)|token|api-?key|key|digest|negotiate|dpop|bot|aws4-hmac-sha256)[ \t]{1,8}/iy;
const typeBeforeValue = /[\w ?|.,[\]]{1,60}?= {0,4}(?=["'`])/y;

/** Reads the value of a pair whose name holds the word at `at`; the value alone is the finding. */
export function readPair(source: SecretSource, at: number): SecretFinding | undefined {
  const { text } = source;
  if (at < source.pairsFrom) return undefined;
  const nameEnd = dotted.end(text, at, at + nameLimit);
  source.pairsFrom = nameEnd;
  const nameStart = dotted.start(text, at, Math.max(source.floor, at - nameLimit));
  const joined = joinAt(text, nameStart, nameEnd);
  if (joined === undefined) return undefined;
  const name = text.slice(nameStart, nameEnd);
  const level = levelOf(source, name);
  if (level === null) return undefined;
  const { join } = joined;
  const pair: Pair = { level, name, nameStart, join, value: valueRange(text, joined.end), kind: "secret_value" };
  // `password: string = "..."` has its value behind the type.
  const typed = join === "colon" && !pair.value.isQuoted ? matchEnd(typeBeforeValue, text, joined.end) : undefined;
  if (typed !== undefined) pair.value = valueRange(text, typed);
  const phraseEnd = level === "certain" && join !== "option" ? phraseEndAt(text, pair) : undefined;
  if (phraseEnd !== undefined) return { kind: pair.kind, start: pair.value.start, end: phraseEnd };
  if (name.length >= 13 && /authorization$/i.test(name)) skipScheme(text, pair);
  if (isSecret(text, pair)) return { kind: pair.kind, start: pair.value.start, end: pair.value.end };
  source.pairsFrom = pair.value.end;
  return undefined;
}

/** Leaves the scheme of an `Authorization` header, as in `Basic dXNlcjpwYXNz`, outside the value. */
function skipScheme(text: string, pair: Pair): void {
  scheme.lastIndex = pair.value.start;
  const match = scheme.exec(text);
  if (match === null) return;
  pair.value = pair.value.isQuoted
    ? { start: scheme.lastIndex, end: pair.value.end, isQuoted: true }
    : valueRange(text, scheme.lastIndex);
  if (match[1] !== undefined) pair.kind = "bearer_token";
  if (match[2] !== undefined) pair.kind = "basic_credentials";
}

function levelOf({ levels }: SecretSource, name: string): SecretNameLevel | null {
  const known = levels.get(name);
  if (known !== undefined) return known;
  const level = secretNameLevel(name) ?? null;
  levels.set(name, level);
  return level;
}

function joinAt(text: string, nameStart: number, nameEnd: number): { join: Join; end: number } | undefined {
  // Most words of prose end here, before the pattern is tried.
  const first = text.charAt(nameEnd);
  if (first === "" || !" \t\\\"'`]?!:=>".includes(first)) return undefined;
  if (first === " " && /[\w(]/.test(text.charAt(nameEnd + 1))) {
    return text.startsWith("--", nameStart) ? { join: "option", end: nameEnd + 1 } : undefined;
  }
  joint.lastIndex = nameEnd;
  const match = joint.exec(text);
  if (match !== null) return { join: match[1] === ":" ? "colon" : "assignment", end: joint.lastIndex };
  return first === ">" && text[nameStart - 1] === "<" ? { join: "tag", end: nameEnd + 1 } : undefined;
}

const phrase = /[^\s"'`(){}[\]<>|;=,#*]+(?: [^\s"'`(){}[\]<>|;=#]+){1,7}(?=[ \t]*(?:[\r\n]| #|$))/y;

/** Where a password of several words ends that fills the rest of a line, as in YAML; undefined for a mere label. */
function phraseEndAt(text: string, { name, nameStart, value }: Pair): number | undefined {
  if (value.isQuoted || text.charAt(value.end) !== " " || /^[A-Z][a-z]/.test(name)) return undefined;
  const end = matchEnd(phrase, text, value.start);
  if (end === undefined || end > value.start + 200) return undefined;
  const isSetting = lineOpening.test(text.slice(Math.max(0, nameStart - 16), nameStart));
  return isSetting && secretNameLevel(text.slice(value.start, end)) === undefined ? end : undefined;
}

function isSecret(text: string, pair: Pair): boolean {
  const { start, end, isQuoted } = pair.value;
  const value = text.slice(start, Math.min(end, start + 400));
  if (value.startsWith("-----BEGIN ") || isPlaceholder(value) || /^[A-Za-z][\w+.-]{1,20}:\/\//.test(value))
    return false;
  if (/^(?:[\d.,_]+|0x[\da-fA-F]+)$/.test(value)) return value.length >= (pair.level === "certain" ? 4 : 12);
  if (pair.join === "tag") return value.length >= 3 && text.startsWith("</", end);
  return isQuoted ? isQuotedSecret(value, pair) : isBareSecret(text, value, pair);
}

function isQuotedSecret(value: string, { level, name }: Pair): boolean {
  const hasSpace = /\s/.test(value);
  // A label (`password: "Enter your password"`) or the name of a field (`secret: "client_secret"`).
  const isName = hasSpace || /[_-]|[a-z][A-Z]/.test(value) || value.toLowerCase() === name.toLowerCase();
  if (isName && !/\d/.test(value) && secretNameLevel(value) !== undefined) return false;
  if (level === "certain") return value.length >= 3;
  if (level === "likely") return value.length >= 4 && !(hasSpace && /^[A-Z][a-z]+ [a-z]/.test(value));
  return value.length >= 6 && !hasSpace && !isWordy(value);
}

/** Words, alone or joined by marks, as in a lexer's `token: "string-literal"`. */
function isWordy(value: string): boolean {
  if (value.length >= 40) return false;
  if (/^[a-z\-_./:]+$/.test(value)) return value.length < 16 || /[-_./:]/.test(value);
  return /^\W?[A-Za-z]+$/.test(value) && value.split(/[A-Z][a-z]+/).length < 4;
}

const codeWords =
  /^(?:string|str|number|int|float|bool|boolean|bytes|any|object|array|list|dict|map|set|record|promise|void|never|symbol|bigint|buffer|uint8array|token|secret|await|new|this|self|function|async|typeof|char|text|varchar|date|readonly|key|type|props?|args?|params?|options?|value)$/i;
const lineOpening = /(?:^|[\n\r])[ \t\-"']{0,12}$|\b(?:export|set|env|arg|-e|declare) {1,2}$/i;

function isBareSecret(text: string, value: string, pair: Pair): boolean {
  const { level, join, nameStart } = pair;
  const { start, end } = pair.value;
  const isTight = join === "option" || (join === "assignment" && text[start - 1] === "=");
  if (!/[A-Za-z0-9].*[A-Za-z0-9].*[A-Za-z0-9]/.test(value) || /^[!*|>@(=]|=>|&&|\|\||\?\?|\?\./.test(value))
    return false;
  if (!/^[A-Za-z_$][\w$.]*$/.test(value)) return isTight || /[\d+/=!@#%^*~]/.test(value);
  // What is left is spelt as an identifier: a value in a setting, a reference in code.
  const next = text.charAt(end);
  if (codeWords.test(value) || (next !== "" && "([<{`".includes(next))) return false;
  if (value.length >= 8 && /\d.*\d.*\d/.test(value) && !value.includes(".")) return true;
  const before = text.slice(Math.max(0, nameStart - 16), nameStart);
  if (isTight && (join === "option" || /[?&;"'/-]$/.test(before))) return true;
  if (!lineOpening.test(before)) return false;
  if (isTight) return next !== "," && next !== ")";
  if (!/^[\r\n]?$/.test(next)) return false;
  const isWord = !/\.|[a-z][A-Z]|^(?:[A-Z][a-z0-9]+){2}/.test(value);
  return /\d/.test(value) || (level !== "possible" && join === "colon" && isWord);
}
