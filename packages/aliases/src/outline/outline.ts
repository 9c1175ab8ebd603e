/** A file's text and path. The path determines the language. */
export interface SourceInput {
  /** Uses forward slashes. The file need not exist on disk. */
  path: string;
  text: string;
  /** The file's alias, if any. Its prefix determines the kind of card. */
  alias?: string | undefined;
}

/** Languages with a syntax tree. `after-build.mjs` copies the grammars of the same names. */
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

/** Languages that can be outlined by the parser or by reading headings and keys. */
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

/** A declaration in an outline, as whole lines. */
export interface OutlineItem {
  /** The name that importers use. For a list of re-exports, its first name. */
  name: string;
  /** The leading words, such as `const` or `abstract class`. */
  kind: string;
  /** Every name that this item exports. */
  exports: string[];
  text: string;
  /** Source lines, 1-based, inclusive. */
  firstLine: number;
  lastLine: number;
}

/**
 * A file reduced to its declarations. `text` renders `items`. All of them are exported, so the word
 * `export` is omitted. `…` replaces omitted text, and `…12` replaces twelve omitted parts.
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
   * contains what could be recovered.
   */
  hasErrors: boolean;
  /**
   * Exported names whose declarations the parser could not read. Their items show only the first
   * line.
   */
  unread: string[];
}
