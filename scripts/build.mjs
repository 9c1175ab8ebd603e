// Builds the packages in the folders given, or all: esbuild writes the JavaScript, oxc-transform the type files.
// The entries are the `@ccl/source` targets of `exports` and the commands in `publishConfig.bin`; an example has `src/main.ts`.
// Sources satisfy `isolatedDeclarations`, so a type file needs one source file and no type checker.
import fs from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";

import { build } from "esbuild";
import { isolatedDeclarationSync } from "oxc-transform";

import { bundleOptions, writeNotices } from "./build/bundled-packages.mjs";
import { binsOf } from "./graph/workspace.mjs";

// `.ci/run` builds once and then runs two steps at a time, so its steps must not build.
if (process.env.CCL_IS_BUILT) process.exit();
const root = path.resolve(import.meta.dirname, "..");
const { packages: rows } = JSON.parse(
  fs.readFileSync(path.join(root, "package-graph.json"), "utf8"),
);
const given = process.argv.slice(2).map((folder) => path.resolve(folder));
const folders = given.length > 0 ? given : ["packages", "examples"].flatMap(foldersIn);
await Promise.all(folders.map(buildPackage));
// The after-build scripts may use packages that were just built.
for (const folder of folders) {
  const step = path.join(folder, "after-build.mjs");
  if (fs.existsSync(step)) await import(pathToFileURL(step).href);
}

function foldersIn(parent) {
  const names = fs.readdirSync(path.join(root, parent)).sort();
  return names
    .map((name) => path.join(root, parent, name))
    .filter((folder) => fs.existsSync(path.join(folder, "package.json")));
}

async function buildPackage(folder) {
  const manifest = JSON.parse(fs.readFileSync(path.join(folder, "package.json"), "utf8"));
  const libraries = Object.values(manifest.exports ?? {}).flatMap(
    (target) => target["@ccl/source"] ?? [],
  );
  const commands = binsOf(manifest);
  const programs = commands.map((file) => file.replace(/^\.\/dist\/(.+)\.js$/, "./src/$1.ts"));
  if (fs.existsSync(path.join(folder, "src/main.ts"))) programs.push("./src/main.ts");
  fs.rmSync(path.join(folder, "dist"), { recursive: true, force: true });
  if (libraries.length + programs.length === 0) return;
  const row = rows[manifest.name];
  const { metafile } = await build({
    absWorkingDir: folder,
    entryPoints: [...new Set([...libraries, ...programs])],
    outbase: "src",
    outdir: "dist",
    bundle: true,
    splitting: true,
    ...bundleOptions({ manifest, row }),
    format: "esm",
    platform: "node",
    target: "node20",
    // Published packages contain `src`, so the maps can refer to it.
    sourcemap: true,
    sourcesContent: false,
    chunkNames: "chunk-[hash]",
    logLevel: "warning",
  });
  writeNotices(folder, { manifest, row, metafile });
  for (const file of commands) fs.chmodSync(path.join(folder, file), 0o755);
  writeDeclarations(folder, libraries);
}

/** Writes the type files of `entries` and of all files that they import. */
function writeDeclarations(folder, entries) {
  const seen = new Set(entries.map((file) => path.normalize(file)));
  for (const file of seen) {
    const text = fs.readFileSync(path.join(folder, file), "utf8");
    const { code, map, errors } = isolatedDeclarationSync(file, text, { sourcemap: true });
    if (errors.length > 0)
      throw new Error(`${folder}\n${errors.map((error) => error.codeframe).join("\n")}`);
    const target = path.join("dist", path.relative("src", file)).replace(/\.ts$/, ".d.ts");
    // `.ts` and `.js` have the same length, so the map stays valid.
    const specifier = /((?:\bfrom|\bimport)\s*\(?\s*)(["'])(\.{1,2}\/[^"']+)\.ts\2/g;
    const types = code.replace(specifier, (_, before, quote, target) => {
      seen.add(path.join(path.dirname(file), `${target}.ts`));
      return `${before}${quote}${target}.js${quote}`;
    });
    const name = path.basename(target);
    const source = path.relative(path.dirname(target), file).replaceAll(path.sep, "/");
    const { mappings, names, version } = map;
    const output = path.join(folder, target);
    fs.mkdirSync(path.dirname(output), { recursive: true });
    fs.writeFileSync(output, `${types}//# sourceMappingURL=${name}.map\n`);
    fs.writeFileSync(
      `${output}.map`,
      JSON.stringify({ version, file: name, sources: [source], names, mappings }),
    );
  }
}
