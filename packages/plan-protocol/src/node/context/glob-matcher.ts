/** No real search has more alternatives in its braces than this. */
const MAX_ALTERNATIVES = 64;

type Segment = "**" | readonly Token[];

type Token = { kind: "text"; character: string } | { kind: "any" } | { kind: "star" } | ClassToken;

interface ClassToken {
  kind: "class";
  isNegated: boolean;
  ranges: [string, string][];
}

/**
 * Whether paths fit a glob: `*`, `?`, `[a-z]`, `[!a]`, `{a,b}` and `**` for any folders. A glob without a slash is for the
 * name alone, at any depth. Needs time in proportion to path times glob, whatever the glob: it comes from a model.
 * Undefined for a glob with more than 64 alternatives.
 */
export function createGlobMatcher(glob: string): ((path: string) => boolean) | undefined {
  const alternatives = expandBraces(glob.replace(/^\.?\//, ""));
  if (alternatives === undefined) return undefined;
  const matchers = alternatives.map((alternative) =>
    createPathMatcher((alternative.includes("/") ? alternative : `**/${alternative}`).split("/")),
  );
  return (path) => matchers.some((fits) => fits(path));
}

/**
 * Whether paths fit a pattern, segment by segment: `**` for any folders, also none, and in names `*`, `?` and classes.
 * `hasEscapes`: a backslash takes its meaning from the character after it.
 */
export function createPathMatcher(
  parts: readonly string[],
  { hasEscapes = false }: { hasEscapes?: boolean | undefined } = {},
): (path: string) => boolean {
  const pattern = parts.map((part): Segment =>
    part === "**" ? "**" : readTokens(part, hasEscapes),
  );
  return (path) =>
    fitsPath(
      pattern,
      path.split("/").map((name) => [...name]),
    );
}

function expandBraces(glob: string): string[] | undefined {
  let open = [glob];
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

/** Which beginnings of the pattern fit the beginning of the path, segment by segment. */
function fitsPath(pattern: readonly Segment[], names: readonly string[][]): boolean {
  let reached = closure(pattern, [true, ...pattern.map(() => false)]);
  for (const name of names) {
    const next: boolean[] = [false];
    for (const [index, segment] of pattern.entries()) {
      const stays = segment === "**" && reached[index] === true;
      const goesOn = segment !== "**" && reached[index] === true && fitsName(segment, name);
      if (stays) next[index] = true;
      next[index + 1] = goesOn || next[index + 1] === true;
    }
    reached = closure(pattern, next);
  }
  return reached[pattern.length] === true;
}

/** `**` may also stand for no folder at all. */
function closure(pattern: readonly Segment[], reached: boolean[]): boolean[] {
  for (const [index, segment] of pattern.entries())
    if (segment === "**" && reached[index] === true) reached[index + 1] = true;
  return reached;
}

/** Goes back to the last star only, which is enough: what an earlier one could take more of, the last one can as well. */
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
