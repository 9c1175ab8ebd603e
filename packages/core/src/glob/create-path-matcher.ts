/** Limits well above the alternatives and characters in real patterns. */
const MAX_ALTERNATIVES = 64;
const MAX_LENGTH = 10_000;

type Segment = "**" | readonly Token[];

type Token = { kind: "text"; character: string } | { kind: "any" } | { kind: "star" } | ClassToken;

interface ClassToken {
  kind: "class";
  isNegated: boolean;
  ranges: [string, string][];
}

/** Options for how a pattern is interpreted. */
export interface PathMatcherOptions {
  /** True if `{a,b}` matches either alternative. */
  hasBraces?: boolean | undefined;
  /** True if a backslash makes the next character literal. */
  hasEscapes?: boolean | undefined;
  /** True if a name's leading dot only matches a dot in the pattern. */
  skipsDotNames?: boolean | undefined;
}

/**
 * Creates a function that tests whole paths with slashes. `**` matches any number of folders,
 * including none. Within names, `*`, `?`, `[a-z]` and `[!a]` work. Takes time proportional to path
 * times pattern. Undefined if the pattern is too long or has more than 64 alternatives.
 */
export function createPathMatcher(
  pattern: string,
  options: PathMatcherOptions = {},
): ((path: string) => boolean) | undefined {
  const { hasBraces = false, hasEscapes = false, skipsDotNames = false } = options;
  const alternatives = hasBraces ? expandBraces(pattern) : [pattern];
  if (alternatives === undefined || pattern.length > MAX_LENGTH) return undefined;
  const patterns = alternatives.map((alternative) =>
    alternative
      .split("/")
      .map((part): Segment => (part === "**" ? "**" : readTokens(part, hasEscapes))),
  );
  return (path) => {
    const names = path.split("/").map((name) => [...name]);
    return patterns.some((segments) => fitsPath(segments, names, skipsDotNames));
  };
}

function expandBraces(pattern: string): string[] | undefined {
  let open = [pattern];
  while (open.some((text) => BRACES.test(text))) {
    open = open.flatMap(expandFirst);
    if (open.length > MAX_ALTERNATIVES) return undefined;
  }
  return open;
}

const BRACES = /\{([^{}]*,[^{}]*)\}/;

function expandFirst(text: string): string[] {
  const braces = BRACES.exec(text);
  if (braces === null) return [text];
  const rest = text.slice(braces.index + braces[0].length);
  return (braces[1] ?? "").split(",").map((option) => text.slice(0, braces.index) + option + rest);
}

function readTokens(part: string, hasEscapes: boolean): Token[] {
  const tokens: Token[] = [];
  const characters = [...part];
  for (let at = 0; at < characters.length; at += 1) {
    const character = characters[at] ?? "";
    const end = character === "[" ? characters.indexOf("]", at + 2) : -1;
    if (hasEscapes && character === "\\") {
      at += 1;
      tokens.push({ kind: "text", character: characters[at] ?? "\\" });
    } else if (end > 0) {
      tokens.push(readClass(characters.slice(at + 1, end)));
      at = end;
    } else if (character === "*") {
      if (tokens.at(-1)?.kind !== "star") tokens.push({ kind: "star" });
    } else tokens.push(character === "?" ? { kind: "any" } : { kind: "text", character });
  }
  return tokens;
}

function readClass(characters: readonly string[]): ClassToken {
  const isNegated = characters[0] === "!" || characters[0] === "^";
  const members = isNegated ? characters.slice(1) : characters;
  const ranges: [string, string][] = [];
  for (let at = 0; at < members.length; at += 1) {
    const from = members[at] ?? "";
    const to = members[at + 1] === "-" ? members[at + 2] : undefined;
    ranges.push([from, to ?? from]);
    if (to !== undefined) at += 2;
  }
  return { kind: "class", isNegated, ranges };
}

/** Tracks, segment by segment of the path, which prefixes of the pattern match so far. */
function fitsPath(
  pattern: readonly Segment[],
  names: readonly string[][],
  skipsDotNames: boolean,
): boolean {
  let reached = closure(pattern, [true, ...pattern.map(() => false)]);
  for (const name of names) {
    const next: boolean[] = [false];
    for (const [index, segment] of pattern.entries()) {
      const isReached = reached[index] === true && !(skipsDotNames && isHidden(name, segment));
      const stays = segment === "**" && isReached;
      const goesOn = segment !== "**" && isReached && fitsName(segment, name);
      if (stays) next[index] = true;
      next[index + 1] = goesOn || next[index + 1] === true;
    }
    reached = closure(pattern, next);
  }
  return reached[pattern.length] === true;
}

/** True for a name with a leading dot that the pattern does not contain. */
function isHidden([start]: readonly string[], segment: Segment): boolean {
  return start === "." && (segment === "**" || segment[0]?.kind !== "text");
}

/** Adds the matches in which `**` matches no folder. */
function closure(pattern: readonly Segment[], reached: boolean[]): boolean[] {
  for (const [index, segment] of pattern.entries())
    if (segment === "**" && reached[index] === true) reached[index + 1] = true;
  return reached;
}

/**
 * Backtracks only to the last star, which suffices: the last star can match whatever an earlier one
 * could.
 */
function fitsName(tokens: readonly Token[], name: readonly string[]): boolean {
  let token = 0;
  let at = 0;
  let starToken = -1;
  let starAt = 0;
  while (at < name.length) {
    const current = tokens[token];
    if (current?.kind === "star") {
      starToken = token;
      starAt = at;
      token += 1;
    } else if (current !== undefined && fitsCharacter(current, name[at] ?? "")) {
      token += 1;
      at += 1;
    } else if (starToken >= 0) {
      starAt += 1;
      at = starAt;
      token = starToken + 1;
    } else return false;
  }
  while (tokens[token]?.kind === "star") token += 1;
  return token === tokens.length;
}

function fitsCharacter(token: Token, character: string): boolean {
  if (token.kind === "text") return token.character === character;
  if (token.kind !== "class") return true;
  return (
    token.ranges.some(([from, to]) => from <= character && character <= to) !== token.isNegated
  );
}
