// Checks 10,000 files against their recorded hashes, next to git hashing the same files.
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { pathToFileURL } from "node:url";

const FILES = 10_000;
const ROUNDS = 7;
/** Files younger than this are hashed again at each verify, because the stat cache cannot trust their times yet. */
const SETTLING_MS = 3500;
const ALIASES = new URL("../packages/aliases/dist/index.js", import.meta.url).href;

const VERIFY = `
  const { openAliasRegistry } = await import(process.argv[1]);
  const start = performance.now();
  const registry = await openAliasRegistry({ root: process.argv[2] });
  const { isClean, checks } = await registry.verify();
  const elapsedMs = performance.now() - start;
  await registry.close();
  if (!isClean || checks.length !== Number(process.argv[3])) throw new Error("the tree is not as it was recorded");
  console.log(elapsedMs);
`;

export async function run() {
  const root = mkdtempSync(join(tmpdir(), "ccl-bench-verify-"));
  try {
    const { paths, sizeBytes } = writeTree(root);
    const { openAliasRegistry } = await import(ALIASES);
    const registry = await openAliasRegistry({ root });
    const scanMs = await elapsed(() => registry.scan());
    await registry.close();
    if (registry.list().length !== paths.length)
      throw new Error(`${registry.list().length} of ${paths.length} files named`);
    await delay(SETTLING_MS);
    return {
      title: `verify of ${FILES.toLocaleString("en")} files`,
      markdown: report(measure(root, paths), { scanMs, sizeBytes }),
    };
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}

/** Times in milliseconds, in turns, so that other load affects all alike. */
function measure(root, paths) {
  const times = { git: [], cold: [], coldCall: [], warm: [], warmCall: [] };
  for (let round = 0; round < ROUNDS; round += 1) {
    times.git.push(
      timeOf(() =>
        execFileSync("git", ["hash-object", "--stdin-paths"], {
          cwd: root,
          input: paths.join("\n"),
          maxBuffer: 2 ** 30,
        }),
      ),
    );
    rmSync(join(root, ".ccl", "cache"), { recursive: true, force: true });
    times.cold.push(timeOf(() => times.coldCall.push(verifyInProcess(root, paths.length))));
    times.warm.push(timeOf(() => times.warmCall.push(verifyInProcess(root, paths.length))));
  }
  return times;
}

function verifyInProcess(root, count) {
  const args = ["--input-type=module", "--eval", VERIFY, ALIASES, root, String(count)];
  return Number(execFileSync(process.execPath, args, { encoding: "utf8" }));
}

function report(times, { scanMs, sizeBytes }) {
  const gitMs = median(times.git);
  const row = (name, samples) =>
    `| ${name} | ${median(samples).toFixed(0)} | ${(median(samples) / gitMs).toFixed(2)} |`;
  return [
    `${FILES.toLocaleString("en")} generated source files, ${(sizeBytes / 1e6).toFixed(1)} MB; median of ${ROUNDS} runs in turns, disk cache warm.`,
    "",
    "| | ms | of git |",
    "|---|---:|---:|",
    row("`git hash-object --stdin-paths` (process)", times.git),
    row("`verify`, no cache (process)", times.cold),
    row("`verify`, no cache (call alone)", times.coldCall),
    row("`verify`, stat cache (process)", times.warm),
    row("`verify`, stat cache (call alone)", times.warmCall),
    "",
    `The first \`scan\`, which walks, hashes, names and writes them all, took ${scanMs.toFixed(0)} ms.`,
  ].join("\n");
}

/** The same bytes each time, in sizes like those of source files, 1 to 16 kB. */
function writeTree(root) {
  let state = 1;
  const random = () => (state = (state * 48_271) % 2_147_483_647) / 2_147_483_647;
  const paths = [];
  let sizeBytes = 0;
  for (let index = 0; index < FILES; index += 1) {
    const folder = `packages/p${index % 20}/src/m${Math.floor(index / 20) % 25}`;
    const path = `${folder}/file${index}.ts`;
    const line = () =>
      `export function f${index}(first: number): number { return first + ${random()}; }\n`;
    const text = Array.from({ length: 12 + Math.floor(random() ** 2 * 180) }, line).join("");
    mkdirSync(join(root, folder), { recursive: true });
    writeFileSync(join(root, path), text);
    paths.push(path);
    sizeBytes += text.length;
  }
  return { paths, sizeBytes };
}

function timeOf(work) {
  const start = performance.now();
  work();
  return performance.now() - start;
}

async function elapsed(work) {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

function median(samples) {
  return samples.toSorted((a, b) => a - b)[Math.floor(samples.length / 2)];
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  const { title, markdown } = await run();
  console.log(`## ${title}\n\n${markdown}`);
}
