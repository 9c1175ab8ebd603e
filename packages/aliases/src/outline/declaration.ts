import type { SyntaxNode } from "./syntax-node.ts";

/** A part of a declaration that stands on lines of its own between its brackets. */
export interface Member {
  /** Empty when undocumented. */
  documentation: string;
  text: string;
}

/** What every language's reader finds in a tree and the renderer turns into either depth. */
export interface Declaration {
  /** The leading words of its head, such as `const` or `abstract class`. */
  kind: string;
  name: string;
  exports: string[];
  /** What follows `kind` in its head: name and type parameters. */
  head: string;
  /** Everything up to the members. */
  signature: string;
  /** Undefined where there is no block of members; empty for an empty block. */
  members: Member[] | undefined;
  /** First sentence of its doc comment, or empty. */
  documentation: string;
  firstLine: number;
  lastLine: number;
  /** A function's signature without a body, which a body may follow. */
  isOverload: boolean;
}

type DeclarationParts = Pick<Declaration, "kind" | "name" | "signature"> & Partial<Declaration>;

/** A declaration at a node's lines; it exports its name and has neither members nor documentation unless given. */
export function declarationAt(node: SyntaxNode, parts: DeclarationParts): Declaration {
  return {
    exports: [parts.name],
    head: parts.name,
    members: undefined,
    documentation: "",
    firstLine: node.firstLine,
    lastLine: node.lastLine,
    isOverload: false,
    ...parts,
  };
}
