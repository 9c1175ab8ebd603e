import path from "node:path";

import { pnpmCommand, runCommand } from "./run-command.mjs";

/** Packs every package as it would be published into `folder`; returns the files by the names of the packages. */
export function packTarballs({ root, packages }, folder) {
  const command = [...pnpmCommand(), "--recursive", "--filter", "./packages/*", "pack"];
  runCommand([...command, "--pack-destination", folder], { cwd: root });
  return Object.fromEntries(
    packages.map(({ name, manifest }) => {
      const file = `${name.replace("@", "").replace("/", "-")}-${manifest.version}.tgz`;
      return [name, path.join(folder, file)];
    }),
  );
}
