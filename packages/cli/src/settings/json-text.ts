/** A value and its position in the text. */
interface JsonNode {
  name: string;
  /** The position of the member's name, if it has one. */
  nameStart: number;
  start: number;
  end: number;
  /** The position after the comma. Undefined if there is none. */
  commaEnd?: number | undefined;
  value: unknown;
  /** Members of an object or array. Those of an array are named by their index. */
  members: JsonNode[];
}

const words = /\uFEFF|\s|\/\/.*|\/\*[^]*?\*\/|("(?:[^"\\]|\\.)*"|[^\s{}[\],:"/]+|[^])/g;

/** Reads JSON that may contain comments and trailing commas. Throws a `SyntaxError` for anything else. */
export function readJsonText(text: string): JsonNode {
  const found = [...text.matchAll(words)].filter((match) => match[1] !== undefined);
  let next = 0;
  const isNext = (word: string): boolean => found[next]?.[1] === word;
  const take = (expected?: string): { word: string; at: number } => {
    const { 0: word = "", index: at = text.length } = found[next++] ?? {};
    if (expected !== undefined && word !== expected)
      throw new SyntaxError(`"${expected}" is missing at character ${at}.`);
    return { word, at };
  };
  const read = (name: string, nameStart = found[next]?.index ?? text.length): JsonNode => {
    const { word, at: start } = take();
    const node = { name, nameStart, start, members: [] };
    if (word !== "{" && word !== "[")
      return { ...node, end: start + word.length, value: JSON.parse(word) };
    const close = word === "{" ? "}" : "]";
    const members: JsonNode[] = [];
    while (!isNext(close)) {
      const key = word === "{" ? take() : undefined;
      if (key !== undefined) take(":");
      const member = read(key === undefined ? `${members.length}` : JSON.parse(key.word), key?.at);
      members.push(member);
      if (!isNext(close)) member.commaEnd = take(",").at + 1;
    }
    const value =
      word === "["
        ? members.map((member) => member.value)
        : Object.fromEntries(members.map((member) => [member.name, member.value]));
    return { ...node, members, end: take(close).at + 1, value };
  };
  const root = read("");
  if (next < found.length) throw new SyntaxError("There is more than one value.");
  return root;
}

function memberOf({ members }: JsonNode, name: string | undefined): JsonNode | undefined {
  return members.findLast((member) => member.name === name);
}

/** In a path, appends a new member to an array. */
export const newMember = "+";

/**
 * Sets the value at a path: replaces the existing one, or inserts it before its neighbours. Creates missing parents and
 * leaves the rest unchanged.
 * @throws SyntaxError if the path leads through something other than an object or array
 */
export function withValue(text: string, path: readonly string[], value: unknown): string {
  const lineEnd = text.includes("\r\n") ? "\r\n" : "\n";
  if (text.trim() === "") return withValue(`${text.trimEnd()}{${lineEnd}}${lineEnd}`, path, value);
  const root = readJsonText(text);
  const unit = /\n([ \t]+)$/.exec(text.slice(0, root.members[0]?.nameStart))?.[1] ?? "  ";
  const indentAt = (at: number): string =>
    /^[ \t]*/.exec(text.slice(text.lastIndexOf("\n", at - 1) + 1))?.[0] ?? "";
  let node = root;
  for (const [depth, name] of path.entries()) {
    if (text[node.start] !== (name === newMember || Array.isArray(node.value) ? "[" : "{"))
      throw new SyntaxError(`${JSON.stringify(path.slice(0, depth).join("."))} has another type.`);
    const known = memberOf(node, name);
    if (known === undefined) {
      const at = node.start + 1;
      const [first] = node.members;
      const isInLines = text.slice(at, first?.nameStart ?? node.end).includes("\n");
      const lead = lineEnd + indentAt(first?.nameStart ?? at) + (first === undefined ? unit : "");
      const added = path
        .slice(depth + 1)
        .reduceRight((inner, key) => (key === newMember ? [inner] : { [key]: inner }), value);
      const label = name === newMember ? "" : `${JSON.stringify(name)}: `;
      const piece = isInLines
        ? lead + label + JSON.stringify(added, null, unit).replaceAll("\n", lead)
        : label + JSON.stringify(added);
      return `${text.slice(0, at)}${piece}${first === undefined ? "" : ","}${text.slice(at)}`;
    }
    node = known;
  }
  return text.slice(0, node.start) + JSON.stringify(value) + text.slice(node.end);
}

/**
 * Removes the value at a path, and the objects and arrays that this empties unless `kept` has their dotted paths.
 * Returns "" if nothing is left.
 */
export function withoutValue(
  text: string,
  path: readonly string[],
  kept: readonly string[] = [],
): string {
  const parentPath = path.slice(0, -1);
  const parentOf = (source: string): JsonNode =>
    parentPath.reduce((node, name) => memberOf(node, name) ?? node, readJsonText(source));
  const { members } = parentOf(text);
  const member = members.findLast(({ name }) => name === path.at(-1));
  if (member === undefined) return text;
  const { nameStart, end, commaEnd } = member;
  const before = text.slice(0, nameStart).trimEnd();
  // The last member also takes the comma before it.
  const comma = commaEnd === undefined ? members.at(-2)?.commaEnd : undefined;
  const rest = text.slice(commaEnd ?? end);
  const next = before.slice(0, comma && comma - 1) + before.slice(comma ?? before.length) + rest;
  const parent = parentOf(next);
  if (next.slice(parent.start + 1, parent.end - 1).trim() !== "") return next;
  if (kept.includes(parentPath.join("."))) return next;
  return parentPath.length === 0 ? "" : withoutValue(next, parentPath, kept);
}

/** Returns the dotted paths of the empty objects and arrays in a JSON text. */
export function emptyPaths(text: string): string[] {
  const walk = ({ value, members }: JsonNode, path: string[]): string[] =>
    typeof value === "object" && value !== null && members.length === 0
      ? [path.join(".")]
      : members.flatMap((member) => walk(member, [...path, member.name]));
  return walk(readJsonText(text), []);
}
