import type { LexicalStyle } from "../compact-text.ts";
import type { Declaration } from "../declaration.ts";
import type { SyntaxNode } from "../syntax-node.ts";

/** All that an outline needs to know of one programming language. */
export interface LanguageDefinition {
  lexicalStyle: LexicalStyle;
  /** Members by brackets, or by indentation alone. */
  hasBraces: boolean;
  /** The text as the parser should see it, as long as it is. */
  prepare?: ((text: string) => string) | undefined;
  /** The exported declarations in the order of the source. */
  readDeclarations(source: { path: string; root: SyntaxNode }): Declaration[];
}
