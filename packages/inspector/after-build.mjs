// Builds the page: one self-contained file, with a policy that allows only its own script and style, and the licences
// of bundled packages.
import { createHash } from "node:crypto";
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
const policyOf = (text) => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;
const takeFile = (name) => {
  const file = path.join(output, name);
  const text = fs.readFileSync(file, "utf8");
  fs.rmSync(file);
  return text;
};
const script = takeFile("page.js").replaceAll("</script", String.raw`<\/script`);
const style = takeFile("page.css");
const policy = `default-src 'none'; script-src ${policyOf(script)}; style-src ${policyOf(style)}; connect-src 'self'; img-src data:; base-uri 'none'; form-action 'none'`;
const page = takeFile("index.html")
  .replaceAll(/\s*<(?:script|link)[^>]*page\.(?:js|css)[^>]*>(?:<\/script>)?/g, "")
  .replace(
    "<head>",
    () => `<head>\n    <meta http-equiv="content-security-policy" content="${policy}" />`,
  )
  .replace("</head>", () => `  <style>${style}</style>\n  </head>`)
  .replace(
    "</body>",
    () => `  <!--views-->\n    <script type="module">${script}</script>\n  </body>`,
  );
fs.writeFileSync(path.join(output, "page.html"), page);
const require = createRequire(import.meta.url);
const licences = ["preact", "uplot", "d3-hierarchy"].map((name) => {
  let place = path.dirname(require.resolve(name));
  while (!fs.existsSync(path.join(place, "LICENSE"))) place = path.dirname(place);
  const { version } = JSON.parse(fs.readFileSync(path.join(place, "package.json"), "utf8"));
  return `${name} ${version}\n\n${fs.readFileSync(path.join(place, "LICENSE"), "utf8")}`;
});
fs.writeFileSync(path.join(output, "LICENSES.txt"), licences.join(`\n${"-".repeat(80)}\n\n`));
