// The parser and the grammars that outlines use: a quarter of what their package holds.
import { cp, mkdir } from "node:fs/promises";
import { createRequire } from "node:module";
import path from "node:path";

const manifest = createRequire(import.meta.url).resolve("@vscode/tree-sitter-wasm/package.json");
const source = path.dirname(manifest);
const target = path.join(import.meta.dirname, "dist/wasm");
const grammars = ["typescript", "tsx", "javascript", "python", "go", "rust", "java"];
grammars.push("cpp", "c-sharp", "php", "ruby", "bash");
// Their package.json says that the runtime is CommonJS, and which version it is of.
const files = [
  "package.json",
  "LICENSE",
  "wasm/tree-sitter.js",
  "wasm/tree-sitter.wasm",
  ...grammars.map((name) => `wasm/tree-sitter-${name}.wasm`),
];
await mkdir(target, { recursive: true });
for (const file of files) await cp(path.join(source, file), path.join(target, path.basename(file)));
