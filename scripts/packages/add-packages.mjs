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

/** Packs those of `names` that are ours with what they need of ours, and installs all in the project in `folder`. */
export function addPackages({ root, packages }, { folder, names }) {
  const manifestFile = path.join(folder, "package.json");
  if (!fs.existsSync(manifestFile))
    throw new Error(`${folder} has no package.json; write one there with: npm init -y`);
  const manager = managerOf(folder, readJson(manifestFile));
  const needed = closureOf(names, packages);
  const files = copyTarballs({ root, packages: needed }, folder);
  // Only npm takes what stands beside a package for what the package asks for; the others ask the registry.
  if (manager !== "npm") {
    const manifest = readJson(manifestFile);
    manifest.resolutions = { ...manifest.resolutions, ...files };
    fs.writeFileSync(manifestFile, `${JSON.stringify(manifest, undefined, 2)}\n`);
  }
  const others = names.filter((name) => files[name] === undefined);
  const given = [...Object.entries(files).map(([name, file]) => `${name}@${file}`), ...others];
  // No package of ours needs an install script, and npm warns of each that it does not run.
  const command = manager === "npm" ? ["install", "--ignore-scripts"] : ["add"];
  const { status, error } = spawnSync(manager, [...command, ...given], {
    cwd: folder,
    // A setting of pnpm's for its own children, of which npm warns.
    env: { ...process.env, npm_config_verify_deps_before_run: undefined },
    stdio: "inherit",
    shell: process.platform === "win32",
  });
  if (error !== undefined) throw error;
  if (status !== 0) throw new Error(`${manager} failed with exit code ${status}`);
  return { added: [...Object.keys(files), ...others], tarballs: tarballFolder };
}

/** The package manager that a project names or whose lock file it has; npm for all others. */
export function managerOf(folder, { packageManager = "" }) {
  const named = managers.find(({ name }) => packageManager.startsWith(`${name}@`));
  const locked = managers.find(({ lock }) => fs.existsSync(path.join(folder, lock)));
  return (named ?? locked)?.name ?? "npm";
}

/** Those of `packages` that `names` has, and all that these depend on. */
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

/** A tarball has a hash of its content in its name, since package managers keep what they once read under a name. */
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
