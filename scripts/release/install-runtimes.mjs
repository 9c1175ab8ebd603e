// The runtimes in which a README's program must run. They come from npm and are kept between runs.
import { spawnSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";

const cache = path.join(process.env.XDG_CACHE_HOME ?? path.join(os.homedir(), ".cache"), "ccl-ci");
const platform = `${process.platform === "win32" ? "win" : process.platform}-${process.arch}`;
const deno = ["run", "--allow-all", "--no-lock", "--node-modules-dir=manual"];
const wanted = [
  ...[20, 22, 24].map((version) => ({
    name: `Node ${version}`,
    install: `node-${platform}@${version}`,
    program: "node",
    flags: [],
  })),
  { name: "Bun", install: "bun@1", program: "bun", flags: ["run"] },
  { name: "Deno", install: "deno@2", program: "deno", flags: deno },
];

/** @returns {{ name: string, command: string[], reason?: string }[]} */
export function installRuntimes() {
  return wanted.map(({ name, install, program, flags }) => {
    const folder = path.join(cache, name.toLowerCase().replace(" ", "-"));
    fs.mkdirSync(folder, { recursive: true });
    const options = [
      "--no-save",
      "--no-audit",
      "--no-fund",
      "--ignore-scripts",
      "--prefer-offline",
    ];
    const { status, stderr } = spawnSync(
      "npm",
      ["install", "--prefix", folder, ...options, install],
      {
        encoding: "utf8",
        shell: process.platform === "win32",
      },
    );
    if (status !== 0) return { name, command: [], reason: stderr.trim().split("\n").at(-1) };
    return { name, command: [binaryIn(path.join(folder, "node_modules"), program), ...flags] };
  });
}

/** The program itself, not a script that looks for it. */
function binaryIn(folder, program) {
  const names = new Set([program, `${program}.exe`]);
  const files = fs
    .readdirSync(folder, { recursive: true })
    .filter((file) => names.has(path.basename(file)))
    .map((file) => path.join(folder, file))
    .filter((file) => fs.statSync(file).isFile())
    .sort((left, right) => fs.statSync(right).size - fs.statSync(left).size);
  const [largest] = files;
  if (largest === undefined) throw new Error(`${folder} holds no ${program}`);
  return largest;
}
