import type { SyntaxNode } from "./syntax-node.ts";

/** A part of a declaration between its brackets, on lines of its own. */
export interface Member {
  /** Empty if undocumented. */
  documentation: string;
  text: string;
}

/** The form in which every language's reader returns a declaration. It can be rendered at either depth. */
export interface Declaration {
  /** The leading words of its head, such as `const` or `abstract class`. */
  kind: string;
  name: string;
  exports: string[];
  /** The head after `kind`: name and type parameters. */
  head: string;
  /** Everything up to the members. */
  signature: string;
  /** Undefined if there is no block of members, empty for an empty block. */
  members: Member[] | undefined;
  /** First sentence of its doc comment. Empty if there is none. */
  documentation: string;
  firstLine: number;
  lastLine: number;
  /** A function signature without a body. An implementation may follow. */
  isOverload: boolean;
}

type DeclarationParts = Pick<Declaration, "kind" | "name" | "signature"> & Partial<Declaration>;

/** A declaration at a node's lines. By default it exports its name and has neither members nor documentation. */
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
