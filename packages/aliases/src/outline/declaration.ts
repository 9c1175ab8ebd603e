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

/** A declaration at lines, such as a node's. By default it exports its name and has neither members nor documentation. */
export function declarationAt(
  { firstLine, lastLine }: Pick<Declaration, "firstLine" | "lastLine">,
  parts: DeclarationParts,
): Declaration {
  return {
    exports: [parts.name],
    head: parts.name,
    members: undefined,
    documentation: "",
    firstLine,
    lastLine,
    isOverload: false,
    ...parts,
  };
}
