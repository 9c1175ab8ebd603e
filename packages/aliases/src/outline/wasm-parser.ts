// The part of the parser's interface that is used. The parser is not an installed package, because
// the build copies its files.

interface Language {
  name: string | null;
}

export interface ParserRuntime {
  Parser: { new (): Parser; init(): Promise<void> };
  Language: { load(grammar: Uint8Array): Promise<Language> };
}

export interface Parser {
  setLanguage(language: Language): Parser;
  parse(
    text: string,
    before: null,
    options: { progressCallback: () => boolean },
  ): SyntaxTree | null;
  reset(): void;
}

export interface SyntaxTree {
  rootNode: ParserNode;
  delete(): void;
}

export interface ParserNode {
  type: string;
  startIndex: number;
  endIndex: number;
  startPosition: { row: number };
  endPosition: { row: number };
  isNamed: boolean;
  hasError: boolean;
  children: (ParserNode | null)[];
  childForFieldName(name: string): ParserNode | null;
}
