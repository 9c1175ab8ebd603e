// pnpm bench [name ...]: runs the benchmarks one after the other and writes their sections into RESULTS.md.
import { fork, spawnSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";

const names = [
  "token-counting",
  "redaction",
  "outlines",
  "verify",
  "scan-and-pack",
  "pack-usefulness",
  "pack-lines",
  "pack-deltas",
  "structured-output",
  "context-compiler",
  "session-usefulness",
  "tool-output",
  "artifact-stores",
  "plan-protocol",
  "operations",
  "catalog",
  "query",
];
/** The variable that names the data of a benchmark. Without it, the benchmark is skipped. */
const dataOf = { "pack-lines": "EDITS_DATA" };
const folder = import.meta.dirname;
const results = path.join(folder, "RESULTS.md");

const asked = process.argv.slice(2);
const unknown = asked.filter((name) => !names.includes(name));
if (unknown.length > 0)
  throw new Error(`No benchmark ${unknown.join(", ")}; there are: ${names.join(", ")}`);

installPeers();
for (const name of asked.length > 0 ? asked : names) {
  const data = dataOf[name];
  if (data !== undefined && process.env[data] === undefined) {
    console.log(`bench ${name}: ${data} names no folder, skipped`);
    continue;
  }
  const startedAt = performance.now();
  console.log(`bench ${name}: running`);
  const section = await runInChild(name);
  writeSection(name, section);
  console.log(
    `${section.markdown}\nbench ${name}: done in ${((performance.now() - startedAt) / 1000).toFixed(0)} s\n`,
  );
}

// The libraries for comparison take about 230 MB, so they are installed only for a benchmark.
function installPeers() {
  const lock = fs.readFileSync(path.join(folder, "package-lock.json"), "utf8");
  const marker = path.join(folder, "node_modules", ".installed-lock");
  if (fs.existsSync(marker) && fs.readFileSync(marker, "utf8") === lock) return;
  console.log("bench: installing the peers for comparison");
  const { status } = spawnSync(
    "npm",
    ["ci", "--ignore-scripts", "--no-audit", "--no-fund", "--prefer-offline"],
    {
      cwd: folder,
      stdio: "inherit",
      shell: process.platform === "win32",
    },
  );
  if (status !== 0) throw new Error("npm ci in bench/ failed");
  fs.writeFileSync(marker, lock);
}

// A separate process, so that no benchmark inherits another one's heap or compiled code.
function runInChild(name) {
  return new Promise((resolve, reject) => {
    const child = fork(path.join(folder, "lib/run-one.mjs"), [name], { cwd: folder });
    let section;
    child.on("message", (message) => (section = message));
    child.on("error", reject);
    child.on("exit", (code) => {
      if (code === 0 && section !== undefined) resolve(section);
      else
        reject(
          new Error(
            `benchmark ${name} ended with ${code} and ${section === undefined ? "no" : "a"} result`,
          ),
        );
    });
  });
}

function writeSection(name, { title, markdown }) {
  const cpu = os.cpus()[0]?.model.trim() ?? "unknown processor";
  const memoryGb = (os.totalmem() / 2 ** 30).toFixed(0);
  const date = new Date().toISOString().slice(0, 10);
  const machine = `${date}, Node ${process.version}, ${os.availableParallelism()} cores of ${cpu}, ${memoryGb} GB, ${os.platform()}`;
  const sections = readSections();
  sections.set(name, `## ${title}\n\n\`pnpm bench ${name}\` on ${machine}.\n\n${markdown.trim()}`);
  const body = names
    .filter((key) => sections.has(key))
    .map((key) => `<!-- bench: ${key} -->\n\n${sections.get(key)}\n\n<!-- end: ${key} -->`);
  fs.writeFileSync(
    results,
    `# Measured\n\nWritten by \`pnpm bench\`; each section names the machine it ran on.\n\n${body.join("\n\n")}\n`,
  );
}

function readSections() {
  const text = fs.existsSync(results) ? fs.readFileSync(results, "utf8") : "";
  const blocks = text.matchAll(/<!-- bench: (\S+) -->\n\n([\s\S]*?)\n\n<!-- end: \1 -->/g);
  return new Map([...blocks].map(([, name, section]) => [name, section]));
}
