import fs from "node:fs";
import path from "node:path";

import { installDependencies } from "../packages/consumer-app.mjs";
import { packTarballs } from "../packages/pack-tarballs.mjs";

/** Creates the application `app` in `folder`: `files` by path, every package of the workspace, and `dependencies`. */
export function installTarballs(folder, workspace, { files, dependencies }) {
  const app = path.join(folder, "app");
  fs.rmSync(app, { recursive: true, force: true });
  for (const [file, text] of Object.entries(files)) {
    fs.mkdirSync(path.dirname(path.join(app, file)), { recursive: true });
    fs.writeFileSync(path.join(app, file), text);
  }
  const tarballs = packTarballs(workspace, path.join(folder, "tarballs"));
  const local = Object.entries(tarballs).map(([name, file]) => [name, `file:${file}`]);
  installDependencies(app, {
    name: "app",
    private: true,
    type: "module",
    dependencies: { ...dependencies, ...Object.fromEntries(local) },
    overrides: Object.fromEntries(local.map(([name]) => [name, `$${name}`])),
  });
  return app;
}
