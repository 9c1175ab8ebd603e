import type { ParserNode } from "./wasm-parser.ts";

/** A syntax tree node with access to its source. Valid only until its tree is deleted. */
export class SyntaxNode {
  /** The whole source, to which the offsets refer. */
  readonly source: string;
  readonly type: string;
  /** Offset of the first character. */
  readonly start: number;
  readonly #node: ParserNode;
  #children: SyntaxNode[] | undefined;

  constructor(node: ParserNode, source: string) {
    this.#node = node;
    this.source = source;
    this.type = node.type;
    this.start = node.startIndex;
  }

  /** Offset after the last character. */
  get end(): number {
    return this.#node.endIndex;
  }

  /** False for keywords and punctuation. */
  get isNamed(): boolean {
    return this.#node.isNamed;
  }

  get length(): number {
    return this.end - this.start;
  }

  get text(): string {
    return this.source.slice(this.start, this.end);
  }

  /** 1-based, as are all line numbers here. */
  get firstLine(): number {
    return this.#node.startPosition.row + 1;
  }

  get lastLine(): number {
    return this.#node.endPosition.row + 1;
  }

  get isComment(): boolean {
    return this.type.endsWith("comment");
  }

  /** True if the node contains a syntax error. */
  get hasError(): boolean {
    return this.#node.hasError;
  }

  /** All children, including keywords and punctuation. */
  get children(): SyntaxNode[] {
    this.#children ??= this.#node.children.flatMap((child) =>
      child === null ? [] : [new SyntaxNode(child, this.source)],
    );
    return this.#children;
  }

  /** Named children except comments. */
  get parts(): SyntaxNode[] {
    return this.children.filter((child) => child.isNamed && !child.isComment);
  }

  /** Returns the child in this grammar field. */
  field(name: string): SyntaxNode | undefined {
    const child = this.#node.childForFieldName(name);
    return child === null ? undefined : new SyntaxNode(child, this.source);
  }
}
