// Packages that a package contains in its own files instead of installing them: the `bundles` of its row in
// package-graph.json.
import fs from "node:fs";
import path from "node:path";

const noticesFile = "dist/THIRD-PARTY-NOTICES.md";

/** esbuild options that bundle `bundles` and leave out what the manifest installs. */
export function bundleOptions({ manifest, row }) {
  if (row?.bundles === undefined) return { packages: "external" };
  const maker = 'import { createRequire as createRequireOfBundle } from "node:module";';
  const banner = `${maker}\nconst require = createRequireOfBundle(import.meta.url);`;
  return {
    external: Object.keys({ ...manifest.dependencies, ...manifest.peerDependencies }),
    conditions: ["@ccl/source", "module"],
    metafile: true,
    // Bundled CommonJS calls `require` for Node's modules.
    banner: row.platform === "node" ? { js: banner } : undefined,
    minifyWhitespace: row.platform === "node",
  };
}

/** Writes the licences of the bundled packages. Throws unless they match the row. */
export function writeNotices(folder, { manifest, row, metafile }) {
  if (row?.bundles === undefined) return;
  const packages = bundledPackages(folder, metafile);
  const names = packages.map(({ name }) => name);
  const differing = [
    ...names.filter((name) => !row.bundles.includes(name)).map((name) => `${name} too`),
    ...row.bundles.filter((name) => !names.includes(name)).map((name) => `no ${name}`),
  ];
  if (differing.length > 0)
    throw new Error(
      `${manifest.name} bundles ${differing.join(", ")}; its row in package-graph.json says otherwise`,
    );
  const notices = packages
    .filter(({ name }) => !name.startsWith("@ccl/"))
    .map(
      ({ name, version, license, text }) => `## ${name} ${version} (${license})\n\n${text.trim()}`,
    );
  const head = `# Third-party notices\n\nThe files in this folder contain code of these packages, unchanged but for bundling.`;
  fs.writeFileSync(path.join(folder, noticesFile), `${[head, ...notices].join("\n\n")}\n`);
}

/** The packages that the files of an esbuild metafile come from, by name. */
function bundledPackages(folder, metafile) {
  const used = new Set(
    Object.values(metafile.outputs).flatMap(({ inputs }) => Object.keys(inputs)),
  );
  const found = new Map();
  for (const input of used) {
    const directory = packageDirectory(path.resolve(folder, input));
    if (directory === folder) continue;
    const item = readBundled(directory);
    found.set(item.name, item);
  }
  return [...found.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** Some packages contain further `package.json` files without a version. */
function packageDirectory(file) {
  for (let folder = path.dirname(file); ; folder = path.dirname(folder)) {
    const manifest = path.join(folder, "package.json");
    if (fs.existsSync(manifest) && JSON.parse(fs.readFileSync(manifest, "utf8")).version)
      return folder;
  }
}

function readBundled(directory) {
  const manifest = JSON.parse(fs.readFileSync(path.join(directory, "package.json"), "utf8"));
  const { name, version, license } = manifest;
  const file = fs.readdirSync(directory).find((entry) => /^licen[cs]e/i.test(entry));
  if (file === undefined) throw new Error(`${name} is bundled and has no licence file`);
  const own = fs.readFileSync(path.join(directory, file), "utf8");
  // Some packages give only the address of this licence, but a distributor must include its text.
  const isComplete = license !== "Apache-2.0" || own.includes("END OF TERMS AND CONDITIONS");
  const full = isComplete
    ? ""
    : fs.readFileSync(path.join(import.meta.dirname, "apache-2.0.txt"), "utf8");
  return { name, version, license, text: `${own}\n${full}` };
}
