/** A file's text, and its path, which decides the language. */
export interface SourceInput {
  /** With forward slashes. Need not exist on disk. */
  path: string;
  text: string;
  /** Its alias if it has one. The prefix decides the kind of card. */
  alias?: string | undefined;
}

/** Languages with a syntax tree. `after-build.mjs` copies their grammars, which have these names. */
export type GrammarName =
  | "typescript"
  | "tsx"
  | "javascript"
  | "python"
  | "go"
  | "rust"
  | "java"
  | "cpp"
  | "c-sharp"
  | "php"
  | "ruby"
  | "bash";

/** Languages that the parser or the readers of headings and keys understand. */
export type OutlineLanguage =
  | GrammarName
  | "kotlin"
  | "swift"
  | "scala"
  | "sql"
  | "css"
  | "markdown"
  | "json"
  | "yaml";

/** One declaration of an outline, in whole lines. */
export interface OutlineItem {
  /** The name that importers use. For a list of re-exports, the first name. */
  name: string;
  /** The leading words, such as `const` or `abstract class`. */
  kind: string;
  /** Every name that this item exports. */
  exports: string[];
  text: string;
  /** Lines of the source, 1-based, inclusive. */
  firstLine: number;
  lastLine: number;
}

/**
 * A file reduced to its declarations. `text` renders `items`. All are exported, so the
 * word `export` is left out. `…` replaces omitted text, and `…12` twelve omitted parts.
 */
export interface Outline {
  /** Undefined if the path's language is unknown. The outline then has no items. */
  language: OutlineLanguage | undefined;
  text: string;
  items: OutlineItem[];
  /** Every exported name, in source order. */
  exports: string[];
  /**
   * True if the source has syntax errors or syntax that the parser cannot read. The outline then
   * has what could be recovered.
   */
  hasErrors: boolean;
  /**
   * Exported names whose declarations the parser could not read. Their items show only the first
   * line.
   */
  unread: string[];
}
