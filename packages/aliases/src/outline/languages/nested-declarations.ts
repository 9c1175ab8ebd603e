import { declarationAt, type Declaration } from "../declaration.ts";
import {
  outlineItem,
  renderOutlineItems,
  renderSignature,
  type RenderStyle,
} from "../render-outline.ts";
import type { SyntaxNode } from "../syntax-node.ts";

/** How many declarations may stand inside one another; what is deeper is cut. */
export const MAX_NESTED_DEPTH = 8;

/** Stands for the declarations inside a block that is too deep to be shown. */
export function cutDeclaration(block: SyntaxNode): Declaration {
  return declarationAt(block, { kind: "…", name: "…", exports: [], head: "…", signature: "…" });
}

/** A namespace or module with declarations inside, whose head lists their heads. */
export function nestedDeclaration(
  node: SyntaxNode,
  parts: { kind: string; name: string; exports: string[]; inner: readonly Declaration[] },
  style: RenderStyle,
): Declaration {
  const { kind, name, exports, inner } = parts;
  const items = inner.map((declaration) => outlineItem(declaration, "heads", style));
  const heads = renderOutlineItems(items, "heads").replaceAll("\n", "; ");
  const members = inner.map((declaration) => ({
    documentation: declaration.documentation,
    text: renderSignature({ ...declaration, documentation: "" }, style),
  }));
  const head = heads === "" ? name : `${name} { ${heads} }`;
  return declarationAt(node, { kind, name, exports, head, signature: `${kind} ${name}`, members });
}
