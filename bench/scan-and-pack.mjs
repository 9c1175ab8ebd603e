// Scans and packs a whole tree, next to Repomix: time, memory, tokens, and how many exported names remain.
import fs from "node:fs";
import os from "node:os";
import path from "node:path";

import { countTokens } from "gpt-tokenizer/encoding/o200k_base";

import { exportedNames } from "./lib/exported-names.mjs";
import { writeGeneratedTree } from "./lib/generated-tree.mjs";
import { measureMedian, measureProcess } from "./lib/measure-process.mjs";

const here = import.meta.dirname;
const budget = 16_000;
const node = process.execPath;
const ccl = (root, ...rest) => [
  node,
  path.join(here, "../packages/cli/dist/ccl.js"),
  "-C",
  root,
  ...rest,
];
const packCommand = (root, task = "Find where records are validated") =>
  ccl(root, "pack", "--task", task, "--budget", String(budget), "--show");
const otherTask = "Say what happens when an amount is missing";
const headsCommand = (root, out, ...rest) => [
  node,
  path.join(here, "lib/heads-of-tree.mjs"),
  root,
  out,
  ...rest,
];
const repomixCommand = (root, out, ...rest) => [
  node,
  path.join(here, "node_modules/repomix/bin/repomix.cjs"),
  root,
  "--compress",
  "--output",
  out,
  "--quiet",
  ...rest,
];

const trees = [
  {
    name: "zod's sources without tests and locales",
    runs: 3,
    write: (root) => copyZod(root, isPlainSource),
  },
  { name: "zod's sources, all", runs: 3, write: (root) => copyZod(root, () => true) },
  { name: "10,000 generated files", runs: 1, write: (root) => writeGeneratedTree(root, 10_000) },
];

/** The section of RESULTS.md. */
export async function run() {
  const temporary = fs.mkdtempSync(path.join(fs.realpathSync(os.tmpdir()), "ccl-bench-"));
  try {
    const parts = [];
    for (const [index, tree] of trees.entries())
      parts.push(await measureTree(tree, path.join(temporary, String(index))));
    return {
      title: "Scan and pack beside Repomix 1.14.0",
      markdown: [notes, ...parts].join("\n\n"),
    };
  } finally {
    fs.rmSync(temporary, { recursive: true, force: true });
  }
}

const notes = `Every command is a separate process, and its start counts. First run: the tool has stored nothing; the tree
was just written, so the operating system has it in memory. Second run: unchanged tree, after \`ccl init\`, \`ccl alias scan\` and one
pack (Repomix keeps nothing); in the row for another task, that pack was for the first one. Memory is the peak, summed over the processes of a command. Tokens are o200k, of the whole output.
Names kept: exported names (TypeScript compiler) that stand as a word in the output for their own file.`;

async function measureTree({ name, runs, write }, folder) {
  const fresh = path.join(folder, "fresh");
  const known = path.join(folder, "known");
  write(fresh);
  write(known);
  const { files, names, tokens } = describeTree(fresh);
  console.log(`  ${name}: ${files.length} files, ${names} exported names, ${tokens} tokens`);
  const context = { fresh, known, folder, runs, files, names };
  const rows = [
    await repomixRow("repomix --compress", context, []),
    await repomixRow("repomix --compress --no-security-check", context, ["--no-security-check"]),
    await headsRow(context),
    await packRow(context),
    await otherTaskRow(context),
  ];
  return `### ${name}\n\n${files.length} files, ${grouped(tokens)} tokens as they are, ${names} exported names.\n\n${renderTable(rows)}\n\n${renderRatios(rows)}`;
}

async function repomixRow(label, { fresh, folder, runs, files, names }, flags) {
  const out = path.join(folder, "repomix.xml");
  const first = await measureMedian(repomixCommand(fresh, out, ...flags), { count: runs });
  const second = await measureMedian(repomixCommand(fresh, out, ...flags), { count: runs });
  return report({ label, first, second, ...judge(fs.readFileSync(out, "utf8"), files), names });
}

async function headsRow({ fresh, known, folder, runs, files, names }) {
  const out = path.join(folder, "heads.txt");
  const first = await measureMedian(headsCommand(fresh, out), { count: runs });
  await measureProcess(headsCommand(known, out, "persist"));
  const second = await measureMedian(headsCommand(known, out, "persist"), { count: runs });
  return report({
    label: "@ccl/aliases, all files at heads",
    first,
    second,
    ...judge(fs.readFileSync(out, "utf8"), files),
    names,
  });
}

async function packRow({ fresh, known, runs }) {
  const first = await measureMedian(packCommand(fresh), { count: runs });
  // --show writes nothing, so the pack that fills the cache runs without it.
  const keeping = packCommand(known).filter((word) => word !== "--show");
  for (const command of [ccl(known, "init", "--yes"), ccl(known, "alias", "scan"), keeping])
    await measureProcess(command);
  const second = await measureMedian(packCommand(known), { count: runs });
  return report({
    label: `ccl pack --budget ${budget}`,
    first,
    second,
    tokens: countTokens(second.stdout),
  });
}

/** After `packRow`: the tree is known, the task is not. */
async function otherTaskRow({ fresh, known, runs }) {
  const first = await measureMedian(packCommand(fresh, otherTask), { count: runs });
  const second = await measureMedian(packCommand(known, otherTask), { count: runs });
  return report({
    label: "ccl pack, another task",
    first,
    second,
    tokens: countTokens(second.stdout),
  });
}

function report(row) {
  const kept = row.kept === undefined ? "" : `, ${row.kept} names kept`;
  console.log(
    `  ${row.label}: ${row.first.seconds.toFixed(1)} s, then ${row.second.seconds.toFixed(1)} s, ${row.tokens} tokens${kept}`,
  );
  return row;
}

/** The tokens of an output in `<file path="...">` blocks, and the names that it contains. */
function judge(output, files) {
  const blocks = new Map(
    [...output.matchAll(/<file path="([^"]+)">\n([\s\S]*?)\n<\/file>/g)].map(([, file, text]) => [
      file,
      text,
    ]),
  );
  const kept = files.reduce((sum, { file, exported }) => {
    const words = new Set(blocks.get(file)?.match(/[\p{ID_Continue}$]+/gu));
    return sum + exported.filter((name) => words.has(name)).length;
  }, 0);
  return { tokens: countByLines(output), kept };
}

function describeTree(root) {
  const files = fs
    .readdirSync(root, { recursive: true })
    .map((file) => file.replaceAll("\\", "/"))
    .filter((file) => file.endsWith(".ts"))
    .map((file) => {
      const text = fs.readFileSync(path.join(root, file), "utf8");
      return { file, exported: exportedNames(file, text), tokens: countByLines(text) };
    });
  const sum = (pick) => files.reduce((total, item) => total + pick(item), 0);
  return { files, names: sum((item) => item.exported.length), tokens: sum((item) => item.tokens) };
}

// In slices, because counting tens of megabytes at once needs gigabytes.
function countByLines(text) {
  const slices = text.match(/(?:.*\n){1,2000}|.+/g) ?? [];
  return slices.reduce(
    (sum, slice) => sum + countTokens(slice, { disallowedSpecial: new Set() }),
    0,
  );
}

function renderTable(rows) {
  const lines = rows.map(({ label, first, second, tokens, kept, names }) => {
    const share = kept === undefined ? "" : `${((100 * kept) / names).toFixed(1)} %`;
    return `| ${label} | ${first.seconds.toFixed(2)} | ${second.seconds.toFixed(2)} | ${first.peakMb.toFixed(0)} | ${second.peakMb.toFixed(0)} | ${grouped(tokens)} | ${share} |`;
  });
  return [
    "| | first run, s | second run, s | memory, MB | memory again, MB | tokens | names kept |",
    "|---|---:|---:|---:|---:|---:|---:|",
    ...lines,
  ].join("\n");
}

function renderRatios([repomix, , heads, pack, other]) {
  const ratio = (a, b) => `${(a / b).toFixed(1)} x`;
  return [
    `Against \`repomix --compress\`: ccl pack is ${ratio(repomix.first.seconds, pack.first.seconds)} as fast on the first run and`,
    `${ratio(repomix.second.seconds, pack.second.seconds)} on the second (${ratio(repomix.second.seconds, other.second.seconds)} for another task); all heads ${ratio(repomix.first.seconds, heads.first.seconds)} and ${ratio(repomix.second.seconds, heads.second.seconds)},`,
    `in ${((100 * heads.tokens) / repomix.tokens).toFixed(1)} % of its tokens.`,
  ].join("\n");
}

const isPlainSource = (file) => !/(^|\/)(tests?|locales)(\/|$)|\.test\.ts$/.test(file);

function copyZod(root, isWanted) {
  const source = path.join(here, "node_modules/zod/src");
  const relative = (file) => path.relative(source, file).replaceAll("\\", "/");
  fs.cpSync(source, path.join(root, "src"), {
    recursive: true,
    filter: (file) => isWanted(relative(file)),
  });
}

const grouped = (count) => String(count).replace(/\B(?=(\d{3})+$)/g, ",");
