/** A member between a declaration's brackets, on its own lines. */
export interface Member {
  /** Empty if undocumented. */
  documentation: string;
  text: string;
}

/**
 * A declaration in the format that the readers of all languages return. It can be rendered at
 * either depth.
 */
export interface Declaration {
  /** The leading words, such as `const` or `abstract class`. */
  kind: string;
  name: string;
  exports: string[];
  /** Everything up to the members. */
  signature: string;
  /** Undefined if there is no block of members. Empty for an empty block. */
  members: Member[] | undefined;
  /** First sentence of the doc comment. Empty if there is none. */
  documentation: string;
  firstLine: number;
  lastLine: number;
  /** True for a function signature without a body. An implementation may follow. */
  isOverload: boolean;
}

type DeclarationParts = Pick<Declaration, "kind" | "name" | "signature"> & Partial<Declaration>;

/**
 * Creates a declaration for the lines of a node. By default it exports its name and has neither
 * members nor documentation.
 */
export function declarationAt(
  { firstLine, lastLine }: Pick<Declaration, "firstLine" | "lastLine">,
  parts: DeclarationParts,
): Declaration {
  return {
    exports: [parts.name],
    members: undefined,
    documentation: "",
    firstLine,
    lastLine,
    isOverload: false,
    ...parts,
  };
}
