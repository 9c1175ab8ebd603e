import { spawn } from "node:child_process";
import fs from "node:fs";
import net from "node:net";
import path from "node:path";

import { readWorkspace } from "../graph/workspace.mjs";
import { packTarballs } from "../packages/pack-tarballs.mjs";
import { pnpmCommand, runCommand } from "../packages/run-command.mjs";

/**
 * Makes the release in `clone` and publishes it to Verdaccio on loopback, which gets all third-party packages from the
 * registry `from`. Returns its address. It ends with this process.
 */
export async function openReleaseRegistry({ clone, temporary, from }) {
  const inClone = (...command) => runCommand([...pnpmCommand(), ...command], { cwd: clone });
  inClone("install", "--frozen-lockfile", "--prefer-offline");
  inClone("run", "version");
  inClone("run", "build");
  const { packages } = readWorkspace(clone);
  const tarballs = packTarballs({ root: clone, packages }, path.join(temporary, "tarballs"));

  const home = path.join(temporary, "registry");
  fs.mkdirSync(home);
  const own = { access: "$all", publish: "$all" };
  const names = Object.fromEntries(packages.map(({ name }) => [name, own]));
  // JSON is also YAML.
  const configuration = {
    storage: path.join(home, "storage"),
    uplinks: { registry: { url: from } },
    packages: { ...names, "@ccl/*": own, "**": { access: "$all", proxy: "registry" } },
    log: { type: "stdout", format: "pretty", level: "error" },
    max_body_size: "50mb",
  };
  const file = path.join(home, "config.yaml");
  fs.writeFileSync(file, JSON.stringify(configuration));
  const port = await freePort();
  const url = `http://127.0.0.1:${port}/`;
  // One of its dependencies is named by a tag, which a mirror of the registry may not have.
  const manifest = {
    private: true,
    dependencies: { verdaccio: "6.5.0" },
    overrides: { "node-fetch": "2.6.7" },
  };
  fs.writeFileSync(path.join(home, "package.json"), JSON.stringify(manifest));
  runCommand(["npm", "install", "--no-audit"], { cwd: home });
  const server = spawn(
    process.execPath,
    [path.join(home, "node_modules/verdaccio/bin/verdaccio"), "--config", file, "--listen", url],
    { stdio: "inherit", cwd: home },
  );
  process.on("exit", () => server.kill());
  await answering(url);

  const settings = path.join(home, "npmrc");
  fs.writeFileSync(settings, `registry=${url}\n//127.0.0.1:${port}/:_authToken=none\n`);
  for (const tarball of Object.values(tarballs))
    runCommand(["npm", "publish", tarball, "--userconfig", settings, "--registry", url]);
  return url;
}

async function freePort() {
  const server = net.createServer();
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address();
  await new Promise((resolve) => server.close(resolve));
  return port;
}

async function answering(url) {
  for (let tries = 0; tries < 300; tries++) {
    const isUp = await fetch(`${url}-/ping`).then(
      ({ ok }) => ok,
      () => false,
    );
    if (isUp) return;
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  throw new Error(`no answer from ${url} in a minute`);
}
