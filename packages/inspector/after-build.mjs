// The page that is served: one script and one style sheet, with the licences of what is bundled.
import fs from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";

import { build } from "vite";

const folder = import.meta.dirname;
const output = path.join(folder, "dist/page");
await build({
  root: path.join(folder, "page"),
  configFile: false,
  logLevel: "warn",
  build: {
    outDir: output,
    emptyOutDir: true,
    modulePreload: false,
    reportCompressedSize: false,
    target: "es2022",
    rollupOptions: {
      output: { entryFileNames: "page.js", assetFileNames: "page.[ext]" },
    },
  },
});
const require = createRequire(import.meta.url);
const licences = ["preact", "uplot", "d3-hierarchy"].map((name) => {
  let place = path.dirname(require.resolve(name));
  while (!fs.existsSync(path.join(place, "LICENSE"))) place = path.dirname(place);
  const { version } = JSON.parse(fs.readFileSync(path.join(place, "package.json"), "utf8"));
  return `${name} ${version}\n\n${fs.readFileSync(path.join(place, "LICENSE"), "utf8")}`;
});
fs.writeFileSync(path.join(output, "LICENSES.txt"), licences.join(`\n${"-".repeat(80)}\n\n`));
