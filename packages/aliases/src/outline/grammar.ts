import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { brotliDecompressSync } from "node:zlib";
import { AliasesError } from "../aliases-error.ts";
import type { GrammarName } from "./outline.ts";
import { SyntaxNode } from "./syntax-node.ts";
import type { Parser, ParserRuntime, SyntaxTree } from "./wasm-parser.ts";

/**
 * Maximum length of a source to parse. Longer files are data or generated code, and would take
 * seconds.
 */
const MAX_SOURCE_CHARACTERS = 2_000_000;
// The parser handles ambiguous brackets recursively, on a small stack without overflow checks.
const MAX_NESTING = 1_000;
// The parser calls back every 100 steps. Ordinary code takes 1 to 4 steps per character, broken
// code up to 7. Limiting steps instead of time produces the same result on every machine.
const BASE_PARSE_CALLBACKS = 1_000;
const PARSE_CALLBACKS_PER_CHARACTER = 0.12;
// Each step becomes slow in badly broken text. This is ten times the duration that ordinary code
// takes on a slow machine.
const BASE_PARSE_MS = 2_000;
const PARSE_MS_PER_CHARACTER = 0.004;

const load = createRequire(import.meta.url);
/**
 * The build copies the parser and the packed grammars next to the code. Unbuilt sources load them
 * from the package that the build copies from.
 */
const IS_SOURCE = import.meta.url.endsWith(".ts");
const RUNTIME_PATH = IS_SOURCE
  ? load.resolve("@vscode/tree-sitter-wasm")
  : join(dirname(fileURLToPath(import.meta.url)), "wasm", "tree-sitter.js");

let runtime: Promise<ParserRuntime> | undefined;
const parsers = new Map<GrammarName, Promise<Parser>>();

async function startRuntime(): Promise<ParserRuntime> {
  if (!existsSync(RUNTIME_PATH)) {
    const message = `The parser of code is not in ${dirname(RUNTIME_PATH)}. Copy the folder dist/wasm of @ccl/aliases there, beside the bundle.`;
    throw new AliasesError("io_failed", message);
  }
  const loaded: ParserRuntime = load(RUNTIME_PATH);
  await loaded.Parser.init();
  return loaded;
}

/**
 * Makes the next parse load a fresh copy, because the memory of this one cannot be trusted after a
 * trap.
 */
function discardRuntime(): void {
  delete load.cache[RUNTIME_PATH];
  runtime = undefined;
  parsers.clear();
}

async function createParser(name: GrammarName): Promise<Parser> {
  runtime ??= startRuntime();
  const { Language, Parser } = await runtime;
  const path = join(dirname(RUNTIME_PATH), `tree-sitter-${name}.wasm`);
  const grammar = IS_SOURCE ? readFileSync(path) : brotliDecompressSync(readFileSync(`${path}.br`));
  const language = await Language.load(grammar);
  return new Parser().setLanguage(language);
}

function parserOf(name: GrammarName): Promise<Parser> {
  let parser = parsers.get(name);
  if (parser === undefined) {
    parser = createParser(name);
    parsers.set(name, parser);
  }
  return parser;
}

function parseWithinBudget(parser: Parser, text: string): SyntaxTree | null {
  let callbacksLeft = BASE_PARSE_CALLBACKS + text.length * PARSE_CALLBACKS_PER_CHARACTER;
  const deadline = performance.now() + BASE_PARSE_MS + text.length * PARSE_MS_PER_CHARACTER;
  const isSpent = (): boolean => --callbacksLeft < 0 || performance.now() > deadline;
  const tree = parser.parse(text, null, { progressCallback: isSpent });
  if (tree === null) parser.reset();
  return tree;
}

/**
 * Parses a source and passes the root to `read`. The nodes are invalid afterwards. Returns
 * undefined if the source is too long, too deeply nested, or too broken to parse in linear time.
 */
export async function withSyntaxTree<T>(
  name: GrammarName,
  text: string,
  read: (root: SyntaxNode) => T,
): Promise<T | undefined> {
  if (text.length > MAX_SOURCE_CHARACTERS || !isNestedWithin(text, MAX_NESTING)) return undefined;
  const parser = await parserOf(name);
  try {
    const tree = parseWithinBudget(parser, text);
    if (tree === null) return undefined;
    const found = read(new SyntaxNode(tree.rootNode, text));
    tree.delete();
    return found;
  } catch (error) {
    if (!(error instanceof Error) || error.name !== "RuntimeError") throw error;
    discardRuntime();
    return undefined;
  }
}

/**
 * True if the source never has more than `limit` brackets open at once. Counts brackets in strings
 * and comments too.
 */
function isNestedWithin(text: string, limit: number): boolean {
  let depth = 0;
  for (const [bracket] of text.matchAll(/[()[\]{}]/g)) {
    depth = "([{".includes(bracket) ? depth + 1 : Math.max(0, depth - 1);
    if (depth > limit) return false;
  }
  return true;
}
