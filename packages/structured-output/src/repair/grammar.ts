import { isQuote, punctuationAt } from "./marks.ts";
import { openString, openStrings, startsString } from "./open-string.ts";
import { type Entry, type Frame, type Part, partOf, withPart } from "./parts.ts";
import { COST, type Grammar, type Mode, type Reading, repaired } from "./reading.ts";
import { STRUCTURE } from "./scan-text.ts";
import { foreignSpace, hidesString } from "./text-view.ts";
import { classifyWord } from "./words.ts";

/** How far back to look for a line break. */
const MAX_GAP = 256;
const CLOSER_OF: Readonly<Record<Frame["kind"], string>> = { object: "}", array: "]", paren: ")" };
const FUNCTION_CALL = /(?:new\s{1,8})?[\p{L}_$][\p{L}\p{N}_$.]{0,63}\s{0,8}\(/uy;
/** Prefix letter of a Python string. `r` only if no backslash in the string can be a JSON escape. */
const PREFIX = /(?:[bBuUfF]|[rR](?='(?:[^'\\\n]|\\[^nrtbfu'"\\/])*'))(?=')/y;
const BULLET = /[-+*>] (?=")/y;
const NAME_START = /[\p{L}_$]/u;

/** Extends a reading by one token, in every way the grammar allows. */
export function advance(grammar: Grammar, from: Reading): void {
  const reading = skipGap(grammar, from);
  const { text } = grammar.view;
  const { position, mode } = reading;
  const raw = text.charAt(position);
  if (raw === "" || text.startsWith("```", position)) {
    grammar.push({ ...reading, mode: "cut", inner: 0 });
    return;
  }
  if (mode !== "colon" && skipEllipsis(grammar, reading)) return;
  const character = punctuationAt(text, position);
  const plain = character === raw ? reading : repaired(reading, "punctuation", COST.notation);
  if (mode === "after") readAfter(grammar, plain, character);
  else if (mode === "colon") readColon(grammar, plain, character);
  else if ("}])".includes(character)) readCloser(grammar, plain, character);
  else if (character === ",") readExtraComma(grammar, plain);
  else if (mode === "key" || mode === "firstKey") readKey(grammar, plain, character);
  else readValue(grammar, plain, character);
}

/** Skips white space and comments. */
function skipGap({ view }: Grammar, from: Reading): Reading {
  let reading = from;
  for (;;) {
    const end = view.skipSpace(reading.position);
    const foreign = foreignSpace(view.text, reading.position, end);
    if (foreign >= 0) reading = repaired(reading, "whitespace", COST.notation, foreign);
    // A line break that was escaped along with the surrounding text.
    if (view.text[end] === "\\" && /[nrt]/.test(view.text.charAt(end + 1))) {
      reading = { ...repaired(reading, "escaped_text", COST.notation, end), position: end + 2 };
      continue;
    }
    const commentEnd = view.skipComment(end);
    if (commentEnd === end) return { ...reading, position: end };
    const { cost, ...read } = repaired(reading, "comment", COST.notation, end);
    const isDoubtful = hidesString(view.text, end, commentEnd);
    reading = { ...read, cost: isDoubtful ? cost + COST.hiddenString : cost, position: commentEnd };
  }
}

function skipEllipsis({ view, push }: Grammar, reading: Reading): boolean {
  const { text } = view;
  const { position, mode } = reading;
  const length = text.startsWith("...", position) ? 3 : text[position] === "…" ? 1 : 0;
  if (length === 0) return false;
  const next = view.skipGap(position + length);
  // Dots between two strings without a comma belong to a string with inner quotes.
  if (mode === "after" && isQuote(text[next])) return false;
  const isBeforeComma = mode !== "after" && text[next] === ",";
  push({
    ...repaired(reading, "ellipsis", COST.notation),
    position: isBeforeComma ? next + 1 : position + length,
  });
  return true;
}

function readAfter(grammar: Grammar, reading: Reading, character: string): void {
  const { view, push } = grammar;
  const { position, frame } = reading;
  const isObject = frame.kind === "object";
  const next: Mode = isObject ? "key" : "value";
  if (character === "," || character === ";") {
    const comma = character === "," ? reading : repaired(reading, "punctuation", COST.notation);
    push({ ...comma, mode: next, position: position + 1 });
    return;
  }
  if ("}])".includes(character)) {
    readCloser(grammar, reading, character);
    return;
  }
  const last = frame.entries?.part.type === "text" ? frame.entries : undefined;
  if (character === ":") {
    if (frame.kind === "array" && last !== undefined) openImplicit(grammar, reading, last);
    return;
  }
  const isPlus = character === "+";
  const quote = isPlus ? view.skipGap(position + 1) : position;
  // Python concatenates adjacent strings. In a list, a missing comma is likelier.
  if (last !== undefined && isQuote(view.text[quote]) && (isPlus || isObject)) {
    const held: Frame = { ...frame, entries: last.previous, key: last.key };
    const cost = isPlus ? COST.notation : COST.missingComma;
    const joined = repaired({ ...reading, frame: held }, "concatenation", cost);
    push({ ...openString({ ...joined, position: quote }, view.text, false), before: last.part });
  }
  if (isPlus && last !== undefined) return;
  const isGlued = isQuote(view.text[position - 1]);
  const apartFromText = isGlued ? /[{[(\\]/ : /[-\d{[(\\]/;
  const isWord = !isQuote(character) && !apartFromText.test(character);
  const isApart =
    !isWord || /\n\s*$/.test(view.text.slice(Math.max(0, position - MAX_GAP), position));
  const cost = isApart ? COST.missingComma : COST.missingCommaBeforeWord;
  const apart = repaired(reading, "missing_comma", cost);
  push({
    ...apart,
    cost: isGlued && isWord ? apart.cost + COST.gluedWord : apart.cost,
    mode: next,
  });
}

function openImplicit({ view, push, shapeOf }: Grammar, reading: Reading, last: Entry): void {
  const { frame } = reading;
  const { part } = last;
  if (part.type === "text" && STRUCTURE.test(view.text.slice(part.start, part.end))) return;
  push({
    ...repaired(reading, "missing_braces", COST.implicitObject),
    mode: "value",
    position: reading.position + 1,
    frame: {
      kind: "object",
      parent: { ...frame, entries: last.previous },
      depth: frame.depth + 1,
      shape: shapeOf(frame.shape, "object"),
      position: reading.position,
      entries: undefined,
      key: last.part,
      isImplicit: true,
    },
  });
}

function readColon(grammar: Grammar, reading: Reading, character: string): void {
  const { view, push } = grammar;
  const { position, frame } = reading;
  const value = { ...reading, mode: "value" as const };
  const isExtraQuote =
    isQuote(character) && punctuationAt(view.text, view.skipGap(position + 1)) === ":";
  if (isExtraQuote)
    push({ ...repaired(reading, "stray_text", COST.notation), position: position + 1 });
  else if (character === ":") push({ ...value, position: position + 1 });
  else if (character === "=") {
    const length = view.text[position + 1] === ">" ? 2 : 1;
    push({ ...repaired(value, "missing_colon", COST.notation), position: position + length });
  } else if (character === "," || character === "}") becomeSet(grammar, reading, frame);
  else if (!"])".includes(character)) push(repaired(value, "missing_colon", COST.missingColon));
}

/** Reads a Python set such as `{"a", "b"}` as a list. */
function becomeSet({ push, shapeOf }: Grammar, reading: Reading, frame: Frame): void {
  const { key } = frame;
  if (frame.entries !== undefined || key === undefined || frame.isImplicit) return;
  // Several bare words are more likely a key and its value with the colon missing.
  if (key.type === "value" && /\s/.test(String(key.value))) return;
  const shape = shapeOf(frame.parent?.shape ?? 0, "array");
  const list: Frame = { ...frame, kind: "array", shape, key: undefined };
  const set = repaired(reading, "set", COST.set, frame.position);
  push({ ...set, mode: "after", frame: withPart(list, setItem(key)) });
}

// Unquoted keys were read as text. List items become the values they spell.
function setItem(key: Part): Part {
  const value = key.type === "value" ? classifyWord(String(key.value))?.value : undefined;
  return key.type === "value" && typeof value === "number" ? { ...key, value } : key;
}

function readCloser(grammar: Grammar, reading: Reading, closer: string): void {
  const { push, view } = grammar;
  const { mode, position, frame } = reading;
  let closing = reading;
  let held = frame;
  if (frame.kind === "object" && mode === "value") {
    closing = repaired(reading, "missing_value", COST.missingValue);
    held = withPart(frame, { type: "value", value: null, start: position });
  } else if ((mode === "value" || mode === "key") && frame.entries !== undefined)
    closing = repaired(reading, "extra_comma", COST.emptyPlace);
  const isSet =
    closer === "}" && frame.kind === "array" && "{｛".includes(view.text.charAt(frame.position));
  const isTrailing = mode === "value";
  if (CLOSER_OF[frame.kind] === closer || isSet) {
    finish(grammar, { ...closing, position: position + 1 }, held, isTrailing);
    return;
  }
  if (frame.isImplicit) {
    finish(grammar, closing, held, isTrailing);
    return;
  }
  if (hasOuter(frame, closer))
    finish(grammar, repaired(closing, "missing_closer", COST.missingCloser), held, isTrailing);
  const wrong = repaired(closing, "wrong_closer", COST.wrongCloser);
  finish(grammar, { ...wrong, position: position + 1 }, held, isTrailing);
  if (mode === "after")
    push({ ...repaired(reading, "stray_text", COST.strayCloser), position: position + 1 });
}

function hasOuter({ parent }: Frame, closer: string): boolean {
  return parent !== undefined && (CLOSER_OF[parent.kind] === closer || hasOuter(parent, closer));
}

function finish({ push }: Grammar, reading: Reading, frame: Frame, isTrailing: boolean): void {
  const part = partOf(frame, isTrailing);
  const { parent } = frame;
  if (parent === undefined) push({ ...reading, mode: "done", root: part });
  else push({ ...reading, mode: "after", frame: withPart(parent, part) });
}

function readExtraComma({ push }: Grammar, reading: Reading): void {
  const { position, mode, frame } = reading;
  if (frame.kind === "object" && mode === "value") {
    const missing = repaired(reading, "missing_value", COST.missingValue);
    const next = withPart(frame, { type: "value", value: null, start: position });
    push({ ...missing, mode: "key", position: position + 1, frame: next });
  } else push({ ...repaired(reading, "extra_comma", COST.emptyPlace), position: position + 1 });
}

function readKey(grammar: Grammar, reading: Reading, character: string): void {
  const { push, view } = grammar;
  const { frame } = reading;
  if (startsString(view.text, reading.position)) {
    openStrings(grammar, reading, true);
    return;
  }
  const last = frame.entries;
  if (character === "{") {
    if (last === undefined || frame.parent?.kind !== "array") return;
    const missing = repaired(reading, "missing_closer", COST.missingCloser);
    const parent = withPart(frame.parent, partOf(frame, false));
    push({ ...missing, mode: "value", frame: parent });
  } else if (!"([:".includes(character)) {
    push({ ...reading, mode: "keyWord", start: reading.position, inner: 0 });
    // Some models write each field as a list item. Other words before a field may be part of the answer.
    BULLET.lastIndex = reading.position;
    if (BULLET.test(view.text))
      push({ ...repaired(reading, "stray_text", COST.emptyPlace), position: BULLET.lastIndex });
  }
}

function readValue(grammar: Grammar, reading: Reading, character: string): void {
  const { view, push } = grammar;
  const { position } = reading;
  if ("{[(".includes(character)) {
    const opened = character === "(" ? repaired(reading, "tuple", COST.call) : reading;
    openFrame(grammar, opened, character);
    return;
  }
  if (startsString(view.text, position)) {
    openStrings(grammar, reading, false);
    return;
  }
  FUNCTION_CALL.lastIndex = position;
  if (NAME_START.test(character) && FUNCTION_CALL.test(view.text))
    push({
      ...repaired(reading, "function_call", COST.call),
      mode: "value",
      position: FUNCTION_CALL.lastIndex - 1,
    });
  PREFIX.lastIndex = position;
  if (PREFIX.test(view.text)) {
    const quoted = repaired(reading, "quote_style", COST.notation);
    openStrings(grammar, { ...quoted, position: PREFIX.lastIndex }, false);
  } else if (character === ":") {
    if (reading.frame.kind !== "object") return;
    const stray = repaired(reading, "stray_text", COST.strayColon);
    push({ ...stray, position: position + 1 });
  } else push({ ...reading, mode: "word", start: position, inner: 0 });
}

/** Opens a bracket at the reading's position. Only the outermost one has no enclosing frame. */
export function openFrame(
  grammar: Grammar,
  reading: Omit<Reading, "frame"> & { frame: Frame | undefined },
  bracket: string,
): void {
  const { frame: parent, position } = reading;
  const kind = bracket === "{" ? "object" : bracket === "[" ? "array" : "paren";
  const depth = (parent?.depth ?? 0) + 1;
  if (depth > grammar.maxDepth) {
    grammar.isTooDeep = true;
    return;
  }
  const shape = grammar.shapeOf(parent?.shape ?? 0, kind);
  grammar.push({
    ...reading,
    mode: kind === "object" ? "firstKey" : "first",
    position: position + 1,
    frame: {
      kind,
      parent,
      depth,
      shape,
      position,
      entries: undefined,
      key: undefined,
      isImplicit: false,
    },
  });
}
