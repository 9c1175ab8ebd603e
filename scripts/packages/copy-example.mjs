import fs from "node:fs";
import path from "node:path";

/**
 * Copies an example without its build output and `node_modules`. `versionOf` returns the versions that replace the
 * workspace references in the copy's package.json. Returns that manifest.
 */
export function copyExample(source, directory, versionOf) {
  const isOwn = (file) => !["node_modules", "dist"].includes(path.basename(file));
  fs.cpSync(source, directory, { recursive: true, filter: isOwn });
  const file = path.join(directory, "package.json");
  const manifest = JSON.parse(fs.readFileSync(file, "utf8"));
  for (const kind of ["dependencies", "devDependencies"])
    for (const name of Object.keys(manifest[kind] ?? {}))
      manifest[kind][name] = versionOf(name) ?? installedVersion(source, name);
  fs.writeFileSync(file, `${JSON.stringify(manifest, undefined, 2)}\n`);
  return manifest;
}

function installedVersion(source, name) {
  const file = path.join(source, "node_modules", name, "package.json");
  return `^${JSON.parse(fs.readFileSync(file, "utf8")).version}`;
}
