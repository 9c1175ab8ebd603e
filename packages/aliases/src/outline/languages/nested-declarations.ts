import type { LexicalStyle } from "../compact-text.ts";
import { declarationAt, type Declaration } from "../declaration.ts";
import { renderSignature } from "../render-outline.ts";
import type { SyntaxNode } from "../syntax-node.ts";

/** Maximum depth of nested declarations. Deeper ones are omitted. */
export const MAX_NESTED_DEPTH = 8;

/** Creates a placeholder for declarations in a block that is nested too deeply. */
export function cutDeclaration(block: SyntaxNode): Declaration {
  return declarationAt(block, { kind: "…", name: "…", exports: [], signature: "…" });
}

/** Creates a declaration for a namespace or module, with the declarations inside as its members. */
export function nestedDeclaration(
  node: SyntaxNode,
  parts: { kind: string; name: string; exports: string[]; inner: readonly Declaration[] },
  style: LexicalStyle,
): Declaration {
  const { kind, name, exports, inner } = parts;
  const members = inner.map((declaration) => ({
    documentation: declaration.documentation,
    text: renderSignature({ ...declaration, documentation: "" }, style),
  }));
  return declarationAt(node, { kind, name, exports, signature: `${kind} ${name}`, members });
}
