import { readdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { countTokens } from "gpt-tokenizer/encoding/o200k_base";
import ts from "typescript";
import { beforeAll, describe, expect, it } from "vitest";
import { buildOutline } from "./build/build-outline.ts";
import type { Outline } from "./outline.ts";

interface OutlinedFile {
  path: string;
  text: string;
  exported: string[];
  outline: Outline;
}

const root = join(dirname(createRequire(import.meta.url).resolve("zod/package.json")), "src");
const count = (text: string): number => countTokens(text, { allowedSpecial: "all" });

/** Names that a file itself exports, without those re-exported by `export *`. */
function exportedNames(checker: ts.TypeChecker, file: ts.SourceFile | undefined): string[] {
  const symbol = file === undefined ? undefined : checker.getSymbolAtLocation(file);
  return [...(symbol?.exports?.keys() ?? [])].map(String).filter((name) => name !== "__export");
}

function mentions(text: string, name: string): boolean {
  const start = text.indexOf(name);
  if (start < 0) return false;
  const around = text.charAt(start - 1) + text.charAt(start + name.length);
  return !/[\w$]/.test(around) || mentions(text.slice(start + 1), name);
}

describe("outlines of zod's sources", () => {
  const files: OutlinedFile[] = [];

  beforeAll(async () => {
    const paths = readdirSync(root, { recursive: true, encoding: "utf8" })
      .filter((path) => path.endsWith(".ts") && !/tests|locales|benchmarks/.test(path))
      .sort();
    const options = { noResolve: true, noLib: true, types: [], target: ts.ScriptTarget.ESNext };
    const program = ts.createProgram(
      paths.map((path) => join(root, path)),
      options,
    );
    const checker = program.getTypeChecker();
    for (const path of paths) {
      const text = readFileSync(join(root, path), "utf8");
      const exported = exportedNames(checker, program.getSourceFile(join(root, path)));
      files.push({ path, text, exported, outline: await buildOutline({ path, text }) });
    }
  });

  it("finds sources to measure", () => {
    expect(files.length).toBeGreaterThan(40);
    expect(files.flatMap((file) => file.exported).length).toBeGreaterThan(1_000);
  });

  it("keep every exported name", () => {
    const missing = files.flatMap(({ path, exported, outline }) => {
      const { text, exports } = outline;
      return exported
        .filter((name) => !exports.includes(name) || !mentions(text, name))
        .map((name) => `${path}: ${name}`);
    });
    expect(missing).toEqual([]);
  });

  it("save 68 % of the tokens or more", () => {
    const raw = files.reduce((sum, { text }) => sum + count(text), 0);
    const outlined = files.reduce((sum, { outline }) => sum + count(outline.text), 0);
    expect(100 * (1 - outlined / raw)).toBeGreaterThanOrEqual(68);
  });

  it("parse as TypeScript", () => {
    const broken = files.flatMap(({ path, outline }) => {
      const { diagnostics = [] } = ts.transpileModule(outline.text.replaceAll("…", "_"), {
        reportDiagnostics: true,
      });
      return diagnostics.map(
        ({ messageText }) => `${path}: ${ts.flattenDiagnosticMessageText(messageText, " ")}`,
      );
    });
    expect(broken).toEqual([]);
  });
});
