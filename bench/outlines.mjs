// Compares outlines of zod's TypeScript sources with a plain cut by the TypeScript compiler.
import { readdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import ts from "typescript";
import { buildOutline } from "../packages/aliases/dist/index.js";

const REPETITIONS = 5;
const requireFromAliases = createRequire(
  new URL("../packages/aliases/package.json", import.meta.url),
);
const { countTokens } = requireFromAliases("gpt-tokenizer/encoding/o200k_base");
const root = join(dirname(requireFromAliases.resolve("zod/package.json")), "src");
const printer = ts.createPrinter({ removeComments: true });

function readSources() {
  return readdirSync(root, { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith(".ts") && !/tests|locales|benchmarks/.test(path))
    .sort()
    .map((path) => ({ path, text: readFileSync(join(root, path), "utf8") }));
}

function isExported(statement) {
  if (ts.isExportDeclaration(statement) || ts.isExportAssignment(statement)) return true;
  const modifiers = ts.canHaveModifiers(statement) ? (ts.getModifiers(statement) ?? []) : [];
  return modifiers.some((modifier) => modifier.kind === ts.SyntaxKind.ExportKeyword);
}

/** Exported statements without bodies and initializers, as the compiler prints them. */
function plainSignatures(source) {
  const cut = (context) => {
    const visit = (node) => {
      if (ts.isBlock(node)) return undefined;
      if (ts.isVariableDeclaration(node)) {
        return context.factory.updateVariableDeclaration(
          node,
          node.name,
          undefined,
          node.type,
          undefined,
        );
      }
      if (ts.isPropertyDeclaration(node)) {
        const { modifiers, name, questionToken, type } = node;
        return context.factory.updatePropertyDeclaration(
          node,
          modifiers,
          name,
          questionToken,
          type,
          undefined,
        );
      }
      return ts.visitEachChild(node, visit, context);
    };
    return (file) =>
      context.factory.updateSourceFile(
        file,
        file.statements.filter(isExported).map((node) => ts.visitNode(node, visit)),
      );
  };
  const { transformed } = ts.transform(source, [cut]);
  return printer.printFile(transformed[0]);
}

/** A line for each exported name: kind, name and type parameters as written. */
function plainHeads(source) {
  const lines = source.statements.filter(isExported).flatMap((statement) => {
    if (ts.isVariableStatement(statement)) {
      return statement.declarationList.declarations.map(
        (declaration) => `export const ${declaration.name.getText(source)}`,
      );
    }
    if (!("name" in statement) || statement.name === undefined) return [statement.getText(source)];
    const kind = ts.SyntaxKind[statement.kind].replace(/(?:Alias)?Declaration$/, "").toLowerCase();
    const parameters = (statement.typeParameters ?? [])
      .map((parameter) => parameter.getText(source))
      .join(", ");
    return [
      `export ${kind} ${statement.name.getText(source)}${parameters === "" ? "" : `<${parameters}>`}`,
    ];
  });
  return lines.join("\n");
}

function exportedNames(sources) {
  const options = { noResolve: true, noLib: true, types: [], target: ts.ScriptTarget.ESNext };
  const program = ts.createProgram(
    sources.map(({ path }) => join(root, path)),
    options,
  );
  const checker = program.getTypeChecker();
  return sources.map(({ path }) => {
    const symbol = checker.getSymbolAtLocation(program.getSourceFile(join(root, path)));
    return [...(symbol?.exports?.keys() ?? [])].map(String).filter((name) => name !== "__export");
  });
}

function keptNames(texts, names) {
  return texts.reduce((kept, text, index) => {
    const words = new Set(text.match(/[\w$]+/g));
    return kept + names[index].filter((name) => words.has(name)).length;
  }, 0);
}

const median = (numbers) => numbers.sort((a, b) => a - b)[Math.floor(numbers.length / 2)];

/** Texts of all files by one method, and the median milliseconds per file. */
async function measure(sources, outline) {
  const times = [];
  let texts = [];
  for (let repetition = 0; repetition < REPETITIONS; repetition++) {
    texts = [];
    for (const source of sources) {
      const start = performance.now();
      texts.push(await outline(source));
      times.push(performance.now() - start);
    }
  }
  return { texts, ms: median(times) };
}

/** @returns {Promise<{ title: string, markdown: string }>} */
export async function run() {
  const sources = readSources();
  const names = exportedNames(sources);
  const total = names.flat().length;
  const parse = ({ path, text }) => ts.createSourceFile(path, text, ts.ScriptTarget.ESNext, true);
  const methods = [
    ["raw", ({ text }) => text],
    ["@ccl/aliases", async (source) => (await buildOutline(source)).text],
    ["plain compiler cut, signatures", (source) => plainSignatures(parse(source))],
    ["plain compiler cut, heads", (source) => plainHeads(parse(source))],
  ];
  const rows = [];
  let rawTokens = 0;
  for (const [name, outline] of methods) {
    const { texts, ms } = await measure(sources, outline);
    const tokens = texts.reduce(
      (sum, text) => sum + countTokens(text, { allowedSpecial: "all" }),
      0,
    );
    rawTokens ||= tokens;
    const saved = (100 * (1 - tokens / rawTokens)).toFixed(1);
    rows.push(
      `| ${name} | ${tokens} | ${saved} % | ${keptNames(texts, names)} / ${total} | ${ms.toFixed(2)} |`,
    );
  }
  const bytes = sources.reduce((sum, { text }) => sum + text.length, 0);
  const header = `${sources.length} files, ${(bytes / 1e6).toFixed(2)} MB; o200k tokens; the median of ${REPETITIONS} runs.`;
  const table = [
    "| outline | tokens | saved | exported names kept | ms a file |",
    "|---|---|---|---|---|",
    ...rows,
  ].join("\n");
  return { title: "Outlines of zod's sources", markdown: `${header}\n\n${table}\n` };
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  const { title, markdown } = await run();
  console.log(`## ${title}\n\n${markdown}`);
}
