import path from "node:path";

import { pnpmCommand, runCommand } from "./run-command.mjs";

/** Packs `packages` as for publishing into `folder`. Returns the files by package name. */
export function packTarballs({ root, packages }, folder) {
  const filters = packages.flatMap(({ name }) => ["--filter", name]);
  const command = [...pnpmCommand(), "--recursive", ...filters, "pack"];
  runCommand([...command, "--pack-destination", folder], { cwd: root });
  return Object.fromEntries(
    packages.map(({ name, manifest }) => {
      const file = `${name.replace("@", "").replace("/", "-")}-${manifest.version}.tgz`;
      return [name, path.join(folder, file)];
    }),
  );
}
