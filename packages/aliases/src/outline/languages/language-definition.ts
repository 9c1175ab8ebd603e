import type { LexicalStyle } from "../compact-text.ts";
import type { Declaration } from "../declaration.ts";
import type { SyntaxNode } from "../syntax-node.ts";

/** How outlines read one programming language. */
export interface LanguageDefinition {
  style: LexicalStyle;
  /** Rewrites the text for the parser, at the same length. */
  prepare?: ((text: string) => string) | undefined;
  /** The exported declarations in source order. */
  readDeclarations(source: { path: string; root: SyntaxNode }): Declaration[];
}
