import type { LexicalStyle } from "../compact-text.ts";
import type { Declaration } from "../declaration.ts";
import type { SyntaxNode } from "../syntax-node.ts";

/** How to outline a programming language. */
export interface LanguageDefinition {
  style: LexicalStyle;
  /** Rewrites the text for the parser without changing its length. */
  prepare?: ((text: string) => string) | undefined;
  /** Returns the exported declarations in source order. */
  readDeclarations(source: { path: string; root: SyntaxNode }): Declaration[];
}
