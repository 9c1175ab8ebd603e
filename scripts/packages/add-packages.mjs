// Installs packages of this workspace in another project, as tarballs that stay in it.
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";

import { packTarballs } from "./pack-tarballs.mjs";

const tarballFolder = "ccl-packages";
const managers = [
  { name: "pnpm", lock: "pnpm-lock.yaml" },
  { name: "yarn", lock: "yarn.lock" },
  { name: "bun", lock: "bun.lock" },
  { name: "bun", lock: "bun.lockb" },
];

/**
 * Packs our packages among `names` with our packages that they need, and installs everything in the project in
 * `folder`.
 */
export function addPackages({ root, packages }, { folder, names }) {
  const manifestFile = path.join(folder, "package.json");
  if (!fs.existsSync(manifestFile))
    throw new Error(`${folder} has no package.json; write one there with: npm init -y`);
  const manager = managerOf(folder, readJson(manifestFile));
  const needed = closureOf(names, packages);
  const files = copyTarballs({ root, packages: needed }, folder);
  // Only npm lets an installed tarball satisfy the dependencies of another one. The others ask the registry.
  if (manager !== "npm") {
    const manifest = readJson(manifestFile);
    manifest.resolutions = { ...manifest.resolutions, ...files };
    fs.writeFileSync(manifestFile, `${JSON.stringify(manifest, undefined, 2)}\n`);
  }
  const others = names.filter((name) => files[name] === undefined);
  const given = [...Object.entries(files).map(([name, file]) => `${name}@${file}`), ...others];
  // None of our packages needs an install script, and npm warns about each one that it does not run.
  const command = manager === "npm" ? ["install", "--ignore-scripts"] : ["add"];
  const { status, error } = spawnSync(manager, [...command, ...given], {
    cwd: folder,
    // A setting of pnpm for its own children, about which npm warns.
    env: { ...process.env, npm_config_verify_deps_before_run: undefined },
    stdio: "inherit",
    shell: process.platform === "win32",
  });
  if (error !== undefined) throw error;
  if (status !== 0) throw new Error(`${manager} failed with exit code ${status}`);
  return { added: [...Object.keys(files), ...others], tarballs: tarballFolder };
}

/** The package manager that a project names or whose lock file it has. npm for all others. */
export function managerOf(folder, { packageManager = "" }) {
  const named = managers.find(({ name }) => packageManager.startsWith(`${name}@`));
  const locked = managers.find(({ lock }) => fs.existsSync(path.join(folder, lock)));
  return (named ?? locked)?.name ?? "npm";
}

/** The packages among `packages` that `names` lists, and all that they depend on. */
export function closureOf(names, packages) {
  const byName = new Map(packages.map((item) => [item.name, item]));
  const unknown = names.filter((name) => name.startsWith("@ccl/") && !byName.has(name));
  if (unknown.length > 0)
    throw new Error(
      `There is no ${unknown.join(", ")}; there are ${[...byName.keys()].join(", ")}`,
    );
  const reached = new Set(names.filter((name) => byName.has(name)));
  for (const name of reached)
    for (const needed of Object.keys(byName.get(name).manifest.dependencies ?? {}))
      if (byName.has(needed)) reached.add(needed);
  return [...reached].map((name) => byName.get(name));
}

/** A tarball's name contains a hash of its content, because package managers cache tarballs by name. */
function copyTarballs(workspace, folder) {
  const packed = fs.mkdtempSync(path.join(os.tmpdir(), "ccl-pack-"));
  const target = path.join(folder, tarballFolder);
  fs.mkdirSync(target, { recursive: true });
  try {
    const entries = Object.entries(packTarballs(workspace, packed)).map(([name, file]) => {
      const bytes = fs.readFileSync(file);
      const hash = createHash("sha256").update(bytes).digest("hex").slice(0, 8);
      const base = path.basename(file, ".tgz");
      for (const old of fs.readdirSync(target))
        if (old.startsWith(`${base}-`) && /-[0-9a-f]{8}\.tgz$/.test(old.slice(base.length)))
          fs.rmSync(path.join(target, old));
      fs.writeFileSync(path.join(target, `${base}-${hash}.tgz`), bytes);
      return [name, `file:./${tarballFolder}/${base}-${hash}.tgz`];
    });
    return Object.fromEntries(entries);
  } finally {
    fs.rmSync(packed, { recursive: true, force: true });
  }
}

function readJson(file) {
  return JSON.parse(fs.readFileSync(file, "utf8"));
}
