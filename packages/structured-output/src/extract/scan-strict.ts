/** How far a text follows the JSON grammar from a bracket on. */
export type StrictScan =
  | { status: "complete"; end: number; depth: number }
  /** Nothing is wrong with it but that it ends: the start of some valid document. */
  | { status: "prefix" }
  /** What begins at `position` leaves the grammar at `brokenAt`: a string goes wrong inside. */
  | { status: "broken"; position: number; brokenAt: number };

const SCALAR = /true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const OPEN_SCALAR =
  /(?:t(?:ru?)?|f(?:a(?:ls?)?)?|n(?:ul?)?|-?(?:(?:0|[1-9]\d*)(?:\.\d*)?(?:[eE][+-]?\d*)?)?)$/y;

// Of a number that was cut off, as in `1.`, only the start is one.
const WORD = /[\w.+-]*/y;

type Expectation = "value" | "value_or_end" | "key" | "key_or_end" | "colon" | "comma_or_end";

/** Follows JSON from the `{` or `[` at `start` without building anything; a loop, so no depth overflows the stack. */
export function scanStrict(text: string, start: number): StrictScan {
  const closers: ("}" | "]")[] = [];
  let expected: Expectation = "value";
  let position = start;
  let depth = 0;
  for (;;) {
    position = skipSpace(text, position);
    const character = text[position];
    if (character === undefined) return { status: "prefix" };
    const closer = closers.at(-1);
    const isKey: boolean = expected === "key" || expected === "key_or_end";
    if (
      character === closer &&
      expected !== "value" &&
      expected !== "key" &&
      expected !== "colon"
    ) {
      closers.pop();
      position += 1;
      if (closers.length === 0) return { status: "complete", end: position, depth };
      expected = "comma_or_end";
    } else if (expected === "comma_or_end" || expected === "colon") {
      if (character !== (expected === "colon" ? ":" : ","))
        return { status: "broken", position, brokenAt: skip(WORD, text, position) };
      expected = expected === "comma_or_end" && closer === "}" ? "key" : "value";
      position += 1;
    } else if (isKey || character === '"') {
      const end = character === '"' ? scanString(text, position) : { brokenAt: position };
      if (end === "prefix") return { status: end };
      if (typeof end !== "number") return { status: "broken", position, ...end };
      expected = isKey ? "colon" : "comma_or_end";
      position = end;
    } else if (character === "{" || character === "[") {
      depth = Math.max(depth, closers.push(character === "{" ? "}" : "]"));
      expected = character === "{" ? "key_or_end" : "value_or_end";
      position += 1;
    } else {
      const end = skip(SCALAR, text, position);
      if (end === text.length || skip(OPEN_SCALAR, text, position) === text.length)
        return { status: "prefix" };
      if (end === position)
        return { status: "broken", position, brokenAt: skip(WORD, text, position) };
      expected = "comma_or_end";
      position = end;
    }
  }
}

function skipSpace(text: string, from: number): number {
  let at = from;
  for (;;) {
    const code = text.charCodeAt(at);
    if (code !== 0x20 && code !== 0x0a && code !== 0x0d && code !== 0x09) return at;
    at += 1;
  }
}

type Scanned = number | "prefix" | { brokenAt: number };

function scanString(text: string, start: number): Scanned {
  let at = start + 1;
  for (;;) {
    const code = text.charCodeAt(at);
    if (code === 0x22) return at + 1;
    if (Number.isNaN(code)) return "prefix";
    if (code < 0x20) return { brokenAt: at };
    if (code === 0x5c) {
      const end = scanEscape(text, at);
      if (typeof end !== "number") return end;
      at = end;
    } else at += 1;
  }
}

function scanEscape(text: string, at: number): Scanned {
  const marker = text[at + 1];
  if (marker === undefined) return "prefix";
  if (marker !== "u") return '"\\/bfnrt'.includes(marker) ? at + 2 : { brokenAt: at + 1 };
  const digits = /^[0-9a-fA-F]*/.exec(text.slice(at + 2, at + 6))?.[0].length ?? 0;
  if (digits === 4) return at + 6;
  return at + 2 + digits === text.length ? "prefix" : { brokenAt: at + 2 + digits };
}

function skip(pattern: RegExp, text: string, from: number): number {
  pattern.lastIndex = from;
  return pattern.test(text) ? pattern.lastIndex : from;
}
