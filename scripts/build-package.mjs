// Builds the package in the working directory: esbuild writes the JavaScript, oxc-transform the type files.
// The entries are the `@ccl/source` targets of `exports`, the commands in `bin` and the files named as arguments.
// Sources satisfy `isolatedDeclarations`, so a type file needs one source file and no type checker.
import fs from "node:fs";
import path from "node:path";

import { build } from "esbuild";
import { isolatedDeclarationSync } from "oxc-transform";

const { exports = {}, bin = {} } = JSON.parse(fs.readFileSync("package.json", "utf8"));
const libraries = Object.values(exports).flatMap((target) => target["@ccl/source"] ?? []);
const commands = Object.values(bin).map((file) =>
  file.replace(/^\.\/dist\/(.+)\.js$/, "./src/$1.ts"),
);

fs.rmSync("dist", { recursive: true, force: true });
await build({
  entryPoints: [...libraries, ...commands, ...process.argv.slice(2)],
  outbase: "src",
  outdir: "dist",
  bundle: true,
  splitting: true,
  packages: "external",
  format: "esm",
  platform: "node",
  target: "node20",
  // Published packages contain `src`, where the maps find the text.
  sourcemap: true,
  sourcesContent: false,
  chunkNames: "chunk-[hash]",
  logLevel: "warning",
});
for (const file of Object.values(bin)) fs.chmodSync(file, 0o755);
writeDeclarations(libraries);

/** Writes the type files of `entries` and of all files that these name. */
function writeDeclarations(entries) {
  const seen = new Set(entries.map((file) => path.normalize(file)));
  for (const file of seen) {
    const text = fs.readFileSync(file, "utf8");
    const { code, map, errors } = isolatedDeclarationSync(file, text, { sourcemap: true });
    if (errors.length > 0) throw new Error(errors.map((error) => error.codeframe).join("\n"));
    const target = path.join("dist", path.relative("src", file)).replace(/\.ts$/, ".d.ts");
    // `.ts` and `.js` are equally long, so the map stays right.
    const specifier = /((?:\bfrom|\bimport)\s*\(?\s*)(["'])(\.{1,2}\/[^"']+)\.ts\2/g;
    const types = code.replace(specifier, (_, before, quote, target) => {
      seen.add(path.join(path.dirname(file), `${target}.ts`));
      return `${before}${quote}${target}.js${quote}`;
    });
    const source = path.relative(path.dirname(target), file).replaceAll(path.sep, "/");
    fs.mkdirSync(path.dirname(target), { recursive: true });
    fs.writeFileSync(target, `${types}//# sourceMappingURL=${path.basename(target)}.map\n`);
    fs.writeFileSync(
      `${target}.map`,
      JSON.stringify({
        ...map,
        file: path.basename(target),
        sources: [source],
        sourcesContent: undefined,
      }),
    );
  }
}
