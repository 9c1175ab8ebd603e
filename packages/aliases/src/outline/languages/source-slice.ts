import { compactText, type LexicalStyle } from "../compact-text.ts";
import type { SyntaxNode } from "../syntax-node.ts";

/** A range of the source and its replacement. */
export interface Edit {
  start: number;
  end: number;
  replacement: string;
}

/** Which part of a node to show, and the edits to apply to it. */
export interface SliceOptions {
  from?: number | undefined;
  end?: number | undefined;
  /** In any order. If edits overlap, the outer one applies. Edits outside the part are ignored. */
  edits?: readonly Edit[] | undefined;
}

function ordered(edits: readonly Edit[], start: number, end: number): Edit[] {
  let position = start;
  return edits
    .filter((edit) => edit.start >= start && edit.end <= end)
    .sort((a, b) => a.start - b.start || b.end - a.end)
    .filter((edit) => {
      const isFree = edit.start >= position;
      if (isFree) position = edit.end;
      return isFree;
    });
}

/** Creates an edit that removes a node or replaces its text. */
export function replaceNode(node: SyntaxNode, replacement = ""): Edit {
  return { start: node.start, end: node.end, replacement };
}

/** Returns a node, or part of it, on one line. */
export function sliceNode(
  node: SyntaxNode,
  style: LexicalStyle,
  options: SliceOptions = {},
): string {
  const start = options.from ?? node.start;
  const end = options.end ?? node.end;
  let text = "";
  let position = start;
  for (const edit of ordered(options.edits ?? [], start, end)) {
    text += node.source.slice(position, edit.start) + edit.replacement;
    position = edit.end;
  }
  return compactText(text + node.source.slice(position, end), style);
}
