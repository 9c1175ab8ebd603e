// Bundles the sources of a package for benches that measure a part that it does not export.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

import { build } from "esbuild";

const root = fileURLToPath(new URL("../..", import.meta.url));

/** The exports of a source file, such as `packages/catalog/src/search/rank-resources.ts`. */
export async function fromSource(file) {
  const folder = await mkdtemp(join(tmpdir(), "ccl-bench-"));
  const outfile = join(folder, "source.mjs");
  try {
    await build({
      entryPoints: [join(root, file)],
      bundle: true,
      format: "esm",
      platform: "node",
      conditions: ["@ccl/source"],
      banner: {
        js: 'import { createRequire as requireOf } from "node:module"; const require = requireOf(import.meta.url);',
      },
      outfile,
    });
    return await import(pathToFileURL(outfile).href);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
