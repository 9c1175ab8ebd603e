import { C_STYLE, type LexicalStyle } from "../compact-text.ts";
import type { SyntaxNode } from "../syntax-node.ts";
import { replaceNode, sliceNode, type Edit, type SliceOptions } from "./source-slice.ts";

export const ECMASCRIPT_STYLE: LexicalStyle = {
  ...C_STYLE,
  quotes: "\"'`",
  multilineQuotes: "`",
};

const MAX_TYPE_CHARACTERS = 400;
const MAX_DEFAULT_CHARACTERS = 24;
const LEADING_OPERATOR = /[:=(<,|&{]\s*[|&]\s/;
const NEEDS_PARAMETER_EDITS = /[={[@]|\b(?:public|private|protected|readonly|override)\b/;

/** Returns the operands of a union, which the grammar nests to the left. */
function unionOperands(node: SyntaxNode): SyntaxNode[] {
  const operands: SyntaxNode[] = [];
  let rest: SyntaxNode | undefined = node;
  while (rest !== undefined) {
    const children: SyntaxNode[] = rest.parts;
    rest = undefined;
    for (const child of children.reverse()) {
      if (child.type === "union_type" && child === children.at(-1)) rest = child;
      else operands.push(child);
    }
  }
  return operands.reverse();
}

function partsOfLongType(node: SyntaxNode): SyntaxNode[] {
  if (node.type === "union_type") return unionOperands(node);
  return node.parts;
}

function cutAfter(parts: readonly SyntaxNode[], node: SyntaxNode): number {
  const count = parts.findIndex((part) => part.end - node.start > MAX_TYPE_CHARACTERS);
  return count < 0 ? parts.length : Math.max(1, count);
}

/** Creates edits that truncate long unions and object types. Each cut shows the number of omitted parts. */
function longTypeEdits(root: SyntaxNode): Edit[] {
  const edits: Edit[] = [];
  const pending: SyntaxNode[] = [root];
  for (let node = pending.pop(); node !== undefined; node = pending.pop()) {
    if (node.length <= MAX_TYPE_CHARACTERS) continue;
    const parts = partsOfLongType(node);
    const isUnion = node.type === "union_type";
    const isCuttable = isUnion || node.type === "object_type";
    const count = isCuttable ? cutAfter(parts, node) : parts.length;
    pending.push(...parts.slice(0, count));
    const last = parts[count - 1];
    if (count === parts.length || last === undefined) continue;
    const replacement = `${isUnion ? " |" : ";"} …${parts.length - count}`;
    edits.push({ start: last.end, end: isUnion ? node.end : node.end - 1, replacement });
  }
  return edits.sort((a, b) => a.start - b.start);
}

function defaultEdit(parameter: SyntaxNode, pattern: SyntaxNode): Edit[] {
  const value = parameter.field("value");
  if (value === undefined) return [];
  const type = parameter.field("type");
  if (type !== undefined) {
    return [
      { start: pattern.end, end: pattern.end, replacement: "?" },
      { start: type.end, end: value.end, replacement: "" },
    ];
  }
  const isShort = value.length <= MAX_DEFAULT_CHARACTERS;
  if (isShort && !value.text.includes("/")) return [];
  return [replaceNode(value, "…")];
}

function patternEdit(parameter: SyntaxNode, pattern: SyntaxNode): Edit[] {
  if (pattern.type !== "object_pattern" && pattern.type !== "array_pattern") return [];
  const isTyped = parameter.field("type") !== undefined;
  if (!isTyped && pattern.length <= MAX_TYPE_CHARACTERS) return [];
  return [{ start: pattern.start + 1, end: pattern.end - 1, replacement: "…" }];
}

function parameterEdits(parameter: SyntaxNode): Edit[] {
  const edits: Edit[] = [];
  const pattern = parameter.field("pattern") ?? parameter.field("name");
  if (pattern === undefined) return edits;
  if (pattern.start > parameter.start) {
    const words = parameter.children.filter((child) => child.end <= pattern.start);
    const isPrivate = words.some((child) => child.text === "private");
    for (const word of words) {
      const isKept =
        !isPrivate && (word.type === "readonly" || word.type === "accessibility_modifier");
      if (!isKept) edits.push(replaceNode(word));
    }
  }
  return [...edits, ...patternEdit(parameter, pattern), ...defaultEdit(parameter, pattern)];
}

/**
 * Creates edits that keep parameter types, replace typed defaults with `?`, and remove decorators
 * and destructuring.
 */
export function parameterListEdits(parameters: SyntaxNode | undefined): Edit[] {
  if (parameters === undefined) return [];
  if (!NEEDS_PARAMETER_EDITS.test(parameters.text)) return [];
  return parameters.parts.flatMap(parameterEdits);
}

/** Creates edits that remove a leading operator before the first part of a union or an intersection. */
function leadingOperatorEdits(root: SyntaxNode, end: number): Edit[] {
  const edits: Edit[] = [];
  const pending: SyntaxNode[] = [root];
  for (let node = pending.pop(); node !== undefined; node = pending.pop()) {
    const first = node.children[0];
    if (first?.type === "|" || first?.type === "&") edits.push(replaceNode(first));
    pending.push(...node.children.filter((child) => child.start < end));
  }
  return edits;
}

/** Returns a node, or part of it, on one line, with long types truncated. */
export function compactNode(node: SyntaxNode, options: SliceOptions = {}): string {
  const start = options.from ?? node.start;
  const end = options.end ?? node.end;
  const edits = [...(options.edits ?? [])];
  if (end - start > MAX_TYPE_CHARACTERS) {
    const roots =
      node.type === "union_type" ? [node] : node.children.filter((child) => child.end <= end);
    edits.push(...roots.flatMap(longTypeEdits));
  }
  if (LEADING_OPERATOR.test(node.source.slice(start, end)))
    edits.push(...leadingOperatorEdits(node, end));
  return sliceNode(node, ECMASCRIPT_STYLE, { ...options, edits });
}
