import { isPlaceholder, secretNameLevel, type SecretNameLevel } from "./secret-names.ts";
import { matchEnd, type SecretFinding, type SecretSource } from "./secret-source.ts";
import { valueRange, type ValueRange } from "./secret-values.ts";

/**
 * The way in which a name is joined to its value: `name=value` and `--name value`, `name = value`, `name: value`,
 * `<name>value</name>`.
 */
type Join = "tight" | "option" | "assignment" | "colon" | "tag";

interface Pair {
  level: SecretNameLevel;
  name: string;
  join: Join;
  value: ValueRange;
  nameStart: number;
}

const nameLimit = 80;
const joint =
  /(?:\\{0,7}["'`]\]?)?[?!]?[ \t]{0,12}(?:=>|:=|[:=](?![:=~>]))[ \t]{0,12}(?:[bBrRfFuU]{1,2}(?=["']))?/y;
const typeBeforeValue = /[\w ?|.,[\]]{1,60}?= {0,4}(?=["'`])/y;

/**
 * Reads the value of a pair whose name contains the word at `at`. The finding covers only the
 * value.
 */
export function readPair(source: SecretSource, at: number): SecretFinding | undefined {
  const { text } = source;
  if (at < source.pairsFrom) return undefined;
  let nameStart = at;
  while (
    nameStart > Math.max(source.floor, at - nameLimit) &&
    isInName(text.charCodeAt(nameStart - 1))
  )
    nameStart -= 1;
  if (nameStart < at && /^\\[nrt]$/.test(text.slice(nameStart - 1, nameStart + 1))) nameStart += 1;
  source.pairsFrom = at + 1;
  while (source.pairsFrom < at + nameLimit && isInName(text.charCodeAt(source.pairsFrom)))
    source.pairsFrom += 1;
  const joined = joinAt(text, nameStart, source.pairsFrom);
  if (joined === undefined) return undefined;
  const name = text.slice(nameStart, source.pairsFrom);
  let level = source.levels.get(name);
  if (level === undefined && !source.levels.has(name))
    source.levels.set(name, (level = secretNameLevel(name)));
  if (level === undefined) return undefined;
  const { join, end } = joined;
  const pair: Pair = { level, name, join, nameStart, value: valueRange(text, end) };
  if (!pair.value.isQuoted && join === "colon") {
    // In `password: string = "..."` the value comes after the type.
    pair.value = valueRange(text, matchEnd(typeBeforeValue, text, end) ?? end);
  }
  if (!pair.value.isQuoted && level === "certain") extendToPhrase(text, pair);
  source.pairsFrom = pair.value.end;
  return isSecret(text, pair)
    ? { kind: "secret_value", start: pair.value.start, end: pair.value.end }
    : undefined;
}

/** True for letters, digits and - . _ */
function isInName(code: number): boolean {
  const isLetter = (code | 0x20) >= 0x61 && (code | 0x20) <= 0x7a;
  return isLetter || (code >= 0x2d && code <= 0x39 && code !== 0x2f) || code === 0x5f;
}

function joinAt(
  text: string,
  nameStart: number,
  nameEnd: number,
): { join: Join; end: number } | undefined {
  const next = text[nameEnd + 1];
  const isDirect =
    (next === '"' || next === "'") && (text[nameEnd] === "=" || text[nameEnd] === ":");
  const end = isDirect ? nameEnd + 1 : matchEnd(joint, text, nameEnd);
  if (end !== undefined) {
    if (end === nameEnd + 1) return { join: text[nameEnd] === "=" ? "tight" : "colon", end };
    const between = text.slice(nameEnd, end);
    if (!between.includes("=")) return { join: "colon", end };
    return { join: /[:> ]|=\s/.test(between) ? "assignment" : "tight", end };
  }
  if (text[nameEnd] === ">" && text[nameStart - 1] === "<")
    return { join: "tag", end: nameEnd + 1 };
  const isOption = text[nameEnd] === " " && text.startsWith("--", nameStart);
  return isOption ? { join: "option", end: nameEnd + 1 } : undefined;
}

const lineOpening =
  /(?:^|[\n\r]|\\[nrt])[ \t\-"']{0,12}$|(?:\b|\\[nrt])(?:export|set|env|arg|-e|declare) {1,2}$/i;
const phrase =
  /[^\s"'`(){}[\]<>|;=,#*\\]+(?: [^\s"'`(){}[\]<>|;=#\\]+){1,7}(?=[ \t]*(?:[\r\n]|\\[nr]| #|$))/y;

/** Returns up to 16 characters before the name. */
function textBefore(text: string, { nameStart }: Pair): string {
  return text.slice(Math.max(0, nameStart - 16), nameStart);
}

/** Extends an unquoted password to several words if they fill the rest of the line, as in YAML. */
function extendToPhrase(text: string, pair: Pair): void {
  const { name, join, value } = pair;
  if (join === "option" || text.charAt(value.end) !== " " || /^[A-Z][a-z]/.test(name)) return;
  if (!lineOpening.test(textBefore(text, pair))) return;
  const end = matchEnd(phrase, text, value.start) ?? value.end;
  if (end <= value.start + 200 && secretNameLevel(text.slice(value.start, end)) === undefined)
    value.end = end;
}

/** True for a mixture of letters and digits that no word or number contains. Such a value needs no further checks. */
function isScrambled(value: string): boolean {
  return (
    value.length >= 10 && /^[A-Za-z0-9+/=]+$/.test(value) && /[A-Za-z]\d+[A-Za-z]+\d/.test(value)
  );
}

/** Matches a key, a URL or credentials, which have their own readers. */
const readByOthers = /^(?:-----BEGIN |[a-z][\w+.-]{1,20}:\/\/|(?:bearer|basic) )/i;

function isSecret(text: string, pair: Pair): boolean {
  const { start, end, isQuoted } = pair.value;
  const value = text.slice(start, Math.min(end, start + 400));
  const next = text.charAt(end);
  const isCalled = next !== "" && "([<{`".includes(next);
  if (pair.join !== "tag" && (isQuoted || !isCalled) && isScrambled(value)) return true;
  if (
    isPlaceholder(value) ||
    ((value.includes(" ") || value.includes(":")) && readByOthers.test(value))
  )
    return false;
  // A quick check first: usually a value begins with a letter and is not a number.
  if (value < "A" || value.startsWith("_")) {
    if (/^[\d.,_]+$/.test(value)) return value.length >= (pair.level === "certain" ? 4 : 12);
    if (/^0x[\da-f]{1,8}$/i.test(value)) return false;
  }
  if (pair.join === "tag") return value.length >= 3 && text.startsWith("</", end);
  if (isQuoted) return isQuotedSecret(value, pair);
  return isBareSecret(value, isCalled ? "(" : next, { pair, before: textBefore(text, pair) });
}

function isQuotedSecret(value: string, { level, name }: Pair): boolean {
  // A label (`password: "Enter your password"`) or a field name (`secret: "client_secret"`).
  const isSame = value.length === name.length && value.toLowerCase() === name.toLowerCase();
  if (
    (isSame || /[\s_-]|[a-z][A-Z]/.test(value)) &&
    !/\d/.test(value) &&
    secretNameLevel(value) !== undefined
  )
    return false;
  if (level === "certain") return value.length >= 3;
  if (level === "likely") return value.length >= 4 && !/^[A-Z][a-z]+ [a-z]/.test(value);
  return value.length >= 6 && !/\s/.test(value) && !isWordy(value);
}

/** True for words, alone or joined by punctuation, as in a lexer's `token: "string-literal"`. */
function isWordy(value: string): boolean {
  if (value.length >= 40) return false;
  if (/^[a-z\-_./:]+$/.test(value)) return value.length < 16 || /[-_./:]/.test(value);
  return /^\W?[A-Za-z]+$/.test(value) && value.length >= 4 * value.split(/[A-Z][a-z]/).length;
}

const codeWords =
  /^(?:string|str|number|int|float|bool|boolean|bytes|any|object|array|list|dict|map|set|record|promise|void|never|symbol|bigint|buffer|uint8array|token|secret|await|new|this|self|function|async|typeof|char|text|varchar|date|readonly|key|type|props?|args?|params?|options?|value)$/i;

function isBareSecret(
  value: string,
  next: string,
  { pair, before }: { pair: Pair; before: string },
): boolean {
  const { level, join } = pair;
  const isTight = join === "option" || join === "tight";
  if (
    !/[A-Za-z0-9].*[A-Za-z0-9].*[A-Za-z0-9]/.test(value) ||
    /^[!*|>@(=]|=>|&&|\|\||\?[?.]/.test(value)
  )
    return false;
  if (!/^[A-Za-z_$][\w$.]*$/.test(value)) return isTight || /[\d+/=!@#%^*~ ]/.test(value);
  // What remains looks like an identifier: a value in a setting, or a reference in code.
  if (codeWords.test(value) || next === "(") return false;
  if (value.length >= 8 && /\d.*\d.*\d/.test(value) && !value.includes(".")) return true;
  if (isTight && (join === "option" || /[?&;"'/-]$/.test(before))) return true;
  if (!lineOpening.test(before)) return false;
  if (isTight) return next !== "," && next !== ")";
  const isWord = !/\.|[a-z][A-Z]|^(?:[A-Z][a-z0-9]+){2}/.test(value);
  return (
    /^[\r\n\\]?$/.test(next) &&
    (/\d/.test(value) || (level !== "possible" && join === "colon" && isWord))
  );
}
