/** A file's text with its path, which decides the language. */
export interface SourceInput {
  /** With forward slashes; need not exist on disk. */
  path: string;
  text: string;
  /** Its alias, where it has one; the prefix decides the kind of card. */
  alias?: string | undefined;
}

/** `signatures`: declarations with members, no bodies. `heads`: kind, name, type parameters. */
export type OutlineDepth = "signatures" | "heads";

/** Every depth, the more detailed one first. */
export const OUTLINE_DEPTHS: readonly OutlineDepth[] = ["signatures", "heads"];

/** What the parser or a reader of headings and keys understands. */
export type OutlineLanguage =
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
  | "bash"
  | "kotlin"
  | "swift"
  | "scala"
  | "sql"
  | "markdown"
  | "json"
  | "yaml";

/** One declaration of an outline; whole lines, never a fragment of one. */
export interface OutlineItem {
  /** As importers know it; for a list of re-exports the first name. */
  name: string;
  /** The words that `text` starts with at depth `heads`; items that share it are joined on one line. */
  kind: string;
  /** Every name that this item exports. */
  exports: string[];
  text: string;
  /** Lines of the source, 1-based, inclusive. */
  firstLine: number;
  lastLine: number;
}

/**
 * A file reduced to its declarations. `text` has those of `items`, as far as `depth` goes.
 * What is listed is exported, so the word itself is left out; `…` stands for what was cut, `…12` for twelve parts.
 */
export interface Outline {
  depth: OutlineDepth;
  /** Undefined when the path's language is not known; then there are no items. */
  language: OutlineLanguage | undefined;
  text: string;
  items: OutlineItem[];
  /** Every exported name, in the order of the source. */
  exports: string[];
  /** The source has syntax errors, or what the parser can't read; the outline is what could be recovered. */
  hasErrors: boolean;
  /** Exported names whose declarations the parser could not read: their items say what their first line says. */
  unread: string[];
}
