import type { Declaration } from "./declaration.ts";
import type { OutlineDepth, OutlineItem } from "./outline.ts";

/** How a language encloses members and starts a comment. */
export interface RenderStyle {
  lineComment: "//" | "#";
  /** False if only indentation encloses members, as in Python. */
  hasBraces: boolean;
}

function documented(documentation: string, text: string, style: RenderStyle): string {
  return documentation === "" ? text : `${style.lineComment} ${documentation}\n${text}`;
}

function indented(text: string): string {
  return ` ${text.replaceAll("\n", "\n ")}`;
}

/** A declaration in full: its documentation, its signature and its members, one per line. */
export function renderSignature(declaration: Declaration, style: RenderStyle): string {
  const { signature, members } = declaration;
  const lines = (members ?? []).map(({ documentation, text }) =>
    indented(documented(documentation, text, style)),
  );
  let block = lines.length === 0 ? "" : `\n${lines.join("\n")}`;
  if (!style.hasBraces && block !== "") block = `:${block}`;
  if (style.hasBraces && members !== undefined)
    block = lines.length === 0 ? " {}" : ` {${block}\n}`;
  return documented(declaration.documentation, signature + block, style);
}

const MAX_NAMES = 12;
const MODIFIERS =
  /^(?:@[\w.]+\s+|(?:static|readonly|protected|abstract|get|set|async|final|synchronized|default|def)\s+|\*)*/;

/** The distinct names of a class's members: `{ open, close, +3 }`. */
function memberNames({ kind, members = [] }: Declaration): string {
  if (!/\bclass$/.test(kind)) return "";
  const names = new Set(members.flatMap(({ text }) => memberName(text) ?? []));
  if (names.size === 0) return "";
  const rest = names.size > MAX_NAMES ? [`+${names.size - MAX_NAMES}`] : [];
  return ` { ${[...[...names].slice(0, MAX_NAMES), ...rest].join(", ")} }`;
}

/** The word before the parameters, type or value. Java writes the type before the name. */
function memberName(text: string): string | undefined {
  let bare = text.slice(0, 400).replace(MODIFIERS, "");
  for (let depth = 0; depth < 3; depth += 1) bare = bare.replace(/<[^<>]*>/g, "");
  return /^(?:[\w.[\]]+\s+)*([\p{L}_$][\w$]*)\s*(?:[?!]?:|[(=,;?]|$)/u.exec(bare)?.[1];
}

/** A declaration as one item of an outline. */
export function outlineItem(
  declaration: Declaration,
  depth: OutlineDepth,
  style: RenderStyle,
): OutlineItem {
  const { name, kind, exports, head, firstLine, lastLine } = declaration;
  const text =
    depth === "heads"
      ? `${kind} ${head}${memberNames(declaration)}`
      : renderSignature(declaration, style);
  return { name, kind, exports, text, firstLine, lastLine };
}

/**
 * The text of items, in whole lines. At depth `heads`, the items of one kind share a line, in the
 * order of each kind's first item: `const a, b`.
 */
export function renderOutlineItems(items: readonly OutlineItem[], depth: OutlineDepth): string {
  if (depth === "signatures") return items.map((item) => item.text).join("\n");
  const lines = new Map<string, string>();
  for (const { kind, text } of items) {
    const line = lines.get(kind);
    lines.set(kind, line === undefined ? text : `${line}, ${text.slice(kind.length + 1)}`);
  }
  return [...lines.values()].join("\n");
}
