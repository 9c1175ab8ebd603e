import type { LexicalStyle } from "../compact-text.ts";
import type { SyntaxNode } from "../syntax-node.ts";
import { sliceNode } from "./source-slice.ts";

const MAX_VALUE_CHARACTERS = 40;

function isPlain(text: string): boolean {
  return text.length <= MAX_VALUE_CHARACTERS && !/[\n({[]/.test(text);
}

/** Returns a short, simple value unchanged, the callee of a call, and `…` for anything else. */
export function simpleValue(value: SyntaxNode, style: LexicalStyle): string {
  if (isPlain(value.text)) return sliceNode(value, style);
  const callee = value.field("function");
  return callee !== undefined && isPlain(callee.text) ? `${callee.text}(…)` : "…";
}
