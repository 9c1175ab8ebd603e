import { createRequire } from "node:module";
import type { Language, Parser, Tree } from "@vscode/tree-sitter-wasm";
import { SyntaxNode } from "./syntax-node.ts";

/** A grammar by the name of its file in the grammars' package. */
export type GrammarName = "typescript" | "tsx" | "javascript" | "python" | "go" | "rust" | "java";

/** What is longer is data or generated code, not worth the seconds that parsing it takes. */
const MAX_SOURCE_CHARACTERS = 2_000_000;
// The parser calls back every 100 steps. Ordinary code takes 1 to 4 steps a character and broken code up to 7;
// counting steps, not time, keeps the outcome the same on every machine.
const BASE_PARSE_CALLBACKS = 1_000;
const PARSE_CALLBACKS_PER_CHARACTER = 0.12;

type Runtime = typeof import("@vscode/tree-sitter-wasm");

let runtime: Promise<Runtime> | undefined;
const parsers = new Map<GrammarName, Promise<Parser>>();

async function startRuntime(): Promise<Runtime> {
  const { default: loaded } = await import("@vscode/tree-sitter-wasm");
  await loaded.Parser.init();
  return loaded;
}

async function createParser(name: GrammarName): Promise<Parser> {
  runtime ??= startRuntime();
  const loaded = await runtime;
  const file = createRequire(import.meta.url).resolve(`@vscode/tree-sitter-wasm/wasm/tree-sitter-${name}.wasm`);
  const language: Language = await loaded.Language.load(file);
  return new loaded.Parser().setLanguage(language);
}

function parserOf(name: GrammarName): Promise<Parser> {
  let parser = parsers.get(name);
  if (parser === undefined) {
    parser = createParser(name);
    parsers.set(name, parser);
  }
  return parser;
}

function parseWithinBudget(parser: Parser, text: string): Tree | null {
  let callbacksLeft = BASE_PARSE_CALLBACKS + text.length * PARSE_CALLBACKS_PER_CHARACTER;
  const tree = parser.parse(text, null, { progressCallback: () => --callbacksLeft < 0 });
  if (tree === null) parser.reset();
  return tree;
}

/**
 * Parses and hands the root to `read`, freeing the tree afterwards. Undefined when the text is too long or too
 * tangled to parse in linear time.
 */
export async function withSyntaxTree<T>(
  name: GrammarName,
  text: string,
  read: (root: SyntaxNode) => T,
): Promise<T | undefined> {
  if (text.length > MAX_SOURCE_CHARACTERS) return undefined;
  const tree = parseWithinBudget(await parserOf(name), text);
  if (tree === null) return undefined;
  try {
    return read(new SyntaxNode(tree.rootNode, text));
  } finally {
    tree.delete();
  }
}
