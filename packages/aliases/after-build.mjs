// Copies the parser and the grammars that outlines use, which are a quarter of their package.
import { cp, mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import path from "node:path";
import { brotliCompressSync, constants } from "node:zlib";

const manifest = createRequire(import.meta.url).resolve("@vscode/tree-sitter-wasm/package.json");
const source = path.dirname(manifest);
const target = path.join(import.meta.dirname, "dist/wasm");
const grammars = ["typescript", "tsx", "javascript", "python", "go", "rust", "java"];
grammars.push("cpp", "c-sharp", "php", "ruby", "bash");
// Their package.json marks the runtime as CommonJS and names its version.
const files = ["package.json", "LICENSE", "wasm/tree-sitter.js", "wasm/tree-sitter.wasm"];
await rm(target, { recursive: true, force: true });
await mkdir(target, { recursive: true });
for (const file of files) await cp(path.join(source, file), path.join(target, path.basename(file)));
// A grammar consists of tables, which compress to a tenth.
const params = { [constants.BROTLI_PARAM_QUALITY]: 6, [constants.BROTLI_PARAM_LGWIN]: 22 };
for (const name of grammars) {
  const grammar = await readFile(path.join(source, `wasm/tree-sitter-${name}.wasm`));
  const packed = brotliCompressSync(grammar, { params });
  await writeFile(path.join(target, `tree-sitter-${name}.wasm.br`), packed);
}
