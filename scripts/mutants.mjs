// node scripts/mutants.mjs [--sample N] [--seed N] [--since REF] [name ...]: makes small changes to the sources, one at
// a time and only in vitest's memory, and prints the changes that no test notices. With --since, changes only lines
// that differ from the branch point with REF. Tests that start processes run the build, so they notice none.
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import path from "node:path";
import readline from "node:readline";
import { parseArgs } from "node:util";

import ts from "typescript";
import { createVitest } from "vitest/node";

import { subjects } from "./mutants/subjects.mjs";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    sample: { type: "string", default: "12" },
    seed: { type: "string", default: "1" },
    since: { type: "string" },
    // For child processes: the first mutant to try.
    from: { type: "string" },
  },
});
const root = path.resolve(import.meta.dirname, "..");
const packages = path.join(root, "packages");
process.chdir(root);
for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => process.exit(1));

const swapped = {
  "<": "<=",
  "<=": "<",
  ">": ">=",
  ">=": ">",
  "===": "!==",
  "!==": "===",
  "&&": "||",
  "||": "&&",
  "??": "&&",
  "+": "-",
  "-": "+",
  "*": "/",
  "+=": "-=",
  "-=": "+=",
};
/** Which operands may replace an expression, like a forgotten price or condition. */
const forgotten = {
  "+": ["left", "right"],
  "-": ["left"],
  "&&": ["left", "right"],
  "||": ["left", "right"],
};
const otherMethods = { some: "every", every: "some", min: "max", max: "min" };
/** Methods that leave something out. Without the call, everything stays. */
const narrowing = new Set(["filter", "slice"]);

let current;
const durationsMs = new Map();
const conditions = ["@ccl/source"];
const plugin = {
  name: "mutant",
  enforce: "pre",
  transform(code, id) {
    const file = id.split("?")[0];
    if (file !== current?.file) return undefined;
    return {
      code: code.slice(0, current.start) + current.text + code.slice(current.end),
      map: null,
    };
  },
};

/** Runs quick test files first, because the first failing test ends the run of a mutant. */
class QuickestFirst {
  shard(files) {
    return files;
  }
  sort(files) {
    const durationOf = ({ moduleId }) => durationsMs.get(moduleId) ?? 0;
    return files.toSorted((a, b) => durationOf(a) - durationOf(b));
  }
}

const changed = values.since === undefined ? undefined : linesSince(values.since);
for (const [name, { files, tests }] of Object.entries(subjects)) {
  if (positionals.length > 0 && !positionals.includes(name)) continue;
  const all = files.flatMap(sourcesIn).flatMap(mutantsOf);
  const wanted = sampleOf(
    all.filter(({ file, line }) => changed?.has(`${file}:${line}`) !== false),
    Number(values.sample),
    Number(values.seed),
  );
  if (wanted.length === 0) continue;
  if (values.from !== undefined) {
    await tryMutants(
      wanted.slice(Number(values.from)),
      tests.map((test) => `packages/${test}`),
    );
    process.exit();
  }
  const survivors = await survivorsOf(name, wanted);
  const killed = wanted.length - survivors.length;
  console.log(
    `${name}: ${killed} of ${wanted.length} killed (${((100 * killed) / wanted.length).toFixed(0)} %)`,
  );
  for (const { file, line, from, text } of survivors)
    console.log(
      `  survived: ${path.relative(packages, file)}:${line} ${shown(from)} -> ${shown(text)}`,
    );
}

/**
 * Tries mutants in a child process. If a mutant never ends, kills the process, counts the mutant as noticed, and starts
 * a new one.
 */
async function survivorsOf(name, mutants) {
  const noticed = [];
  while (noticed.length < mutants.length) {
    const { sample, seed } = values;
    const args = [import.meta.filename, name, "--sample", sample, "--seed", seed];
    if (values.since !== undefined) args.push("--since", values.since);
    const child = spawn(process.execPath, [...args, "--from", String(noticed.length)], {
      detached: true,
      stdio: ["ignore", "pipe", "inherit"],
    });
    const closed = once(child, "close");
    const stop = () => process.kill(-child.pid, "SIGKILL");
    process.once("exit", stop);
    const before = noticed.length;
    let isReady = false;
    let limitMs = 600_000;
    let begun = performance.now();
    const watch = setInterval(() => {
      if (performance.now() - begun > limitMs) stop();
    }, 1_000);
    for await (const line of readline.createInterface({ input: child.stdout })) {
      if (/^(?:killed|survived)$/.test(line)) noticed.push(line === "killed");
      else if (line !== "green") continue;
      if (line === "green") [isReady, limitMs] = [true, 20_000 + 2 * (performance.now() - begun)];
      else process.stderr.write(line === "killed" ? "." : "s");
      begun = performance.now();
    }
    clearInterval(watch);
    const [, signal] = await closed;
    process.off("exit", stop);
    if (!isReady)
      throw new Error(`The tests of ${name} fail without a change, or pass with one that throws`);
    if (signal === "SIGKILL") {
      noticed.push(true);
      process.stderr.write("t");
    } else if (noticed.length === before) throw new Error(`The tests of ${name} cannot be run`);
  }
  return mutants.filter((_, at) => !noticed[at]);
}

async function tryMutants(mutants, filters) {
  const vitest = await createVitest(
    "test",
    {
      // A configuration with projects would not take the plugin.
      config: false,
      globalSetup: ["scripts/services/temporary-folder.mjs"],
      setupFiles: ["scripts/vitest-setup.ts"],
      include: ["packages/*/src/**/*.test.ts"],
      watch: false,
      bail: 1,
      silent: true,
      reporters: [{}],
      maxWorkers: 1,
      isolate: false,
      sequence: { sequencer: QuickestFirst },
      testTimeout: 60_000,
    },
    { resolve: { conditions }, ssr: { resolve: { conditions } }, plugins: [plugin] },
  );
  const specifications = await vitest.globTestSpecifications(filters);
  const isGreen = async () => {
    const { testModules, unhandledErrors } = await vitest.runTestSpecifications(
      specifications,
      true,
    );
    if (current === undefined)
      for (const module of testModules)
        durationsMs.set(module.moduleId, module.diagnostic().duration);
    return unhandledErrors.length === 0 && testModules.every((module) => module.ok());
  };
  const isNoticed = async (mutant) => {
    if (current !== undefined) vitest.invalidateFile(current.file);
    current = mutant;
    vitest.invalidateFile(mutant.file);
    return !(await isGreen());
  };
  if (!(await isGreen())) return;
  // Controls: a file that throws must be noticed, and an unchanged one must not.
  const [{ file }] = mutants;
  const controls = ["throw new Error('control');", ""];
  for (const text of controls)
    if ((await isNoticed({ file, start: 0, end: 0, text })) !== (text !== "")) return;
  console.log("green");
  for (const mutant of mutants) console.log((await isNoticed(mutant)) ? "killed" : "survived");
}

function sourcesIn(place) {
  const full = path.join(packages, place);
  if (!place.endsWith("/")) return [full];
  return fs
    .readdirSync(full, { recursive: true })
    .filter((file) => file.endsWith(".ts") && !/\.test(-d)?\.ts$|__fixtures__/.test(file))
    .map((file) => path.join(full, file))
    .toSorted();
}

/** A reproducible sample: a linear congruential generator with the seed gives each item's place in the list. */
function sampleOf(list, count, seed) {
  const left = [...list];
  let state = seed;
  return Array.from({ length: Math.min(count, list.length) }, () => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    return left.splice(state % left.length, 1)[0];
  });
}

/** Multiplies a large number, because a limit of 1,001 is as good as one of 1,000. */
function otherNumber(text) {
  return Number(text.replaceAll("_", "")) < 20 ? `(${text} + 1)` : `(${text} * 10)`;
}

/** Lines that differ from the branch point with `ref`, as `file:line`. */
function linesSince(ref) {
  const args = ["diff", "--unified=0", "--merge-base", ref, "--", "packages"];
  const diff = execFileSync("git", args, { encoding: "utf8", maxBuffer: 2 ** 28 });
  const lines = new Set();
  let file = "";
  for (const text of diff.split("\n")) {
    if (text.startsWith("+++ b/")) file = path.join(root, text.slice(6));
    const [, first, count = "1"] = /^@@ \S+ \+(\d+)(?:,(\d+))? @@/.exec(text) ?? [];
    const end = first === undefined ? 0 : Number(count);
    for (let at = 0; at < end; at++) lines.add(`${file}:${Number(first) + at}`);
  }
  return lines;
}

function mutantsOf(file) {
  const source = ts.createSourceFile(
    file,
    fs.readFileSync(file, "utf8"),
    ts.ScriptTarget.Latest,
    true,
  );
  const found = [];
  const add = (node, text) => {
    const start = node.getStart(source);
    const line = source.getLineAndCharacterOfPosition(start).line + 1;
    found.push({ file, start, end: node.end, line, from: node.getText(source), text });
  };
  const addBinary = (node) => {
    const sign = node.operatorToken.getText(source);
    const [left, right] = [node.left.getText(source), node.right.getText(source)];
    if (Object.hasOwn(swapped, sign)) add(node, `((${left}) ${swapped[sign]} (${right}))`);
    for (const side of forgotten[sign] ?? []) add(node, `(${node[side].getText(source)})`);
  };
  const addCall = (node) => {
    const { expression } = node;
    if (!ts.isPropertyAccessExpression(expression)) return;
    const name = expression.name.text;
    if (Object.hasOwn(otherMethods, name)) add(expression.name, otherMethods[name]);
    if (narrowing.has(name)) add(node, expression.expression.getText(source));
  };
  const addNegated = (condition) => {
    // Such conditions already have their own mutants.
    const isOwn =
      ts.isPrefixUnaryExpression(condition) ||
      (ts.isBinaryExpression(condition) &&
        /^[!=]==$/.test(condition.operatorToken.getText(source)));
    if (!isOwn) add(condition, `!(${condition.getText(source)})`);
  };
  const visit = (node) => {
    if (ts.isTypeNode(node) || ts.isInterfaceDeclaration(node) || ts.isImportDeclaration(node))
      return;
    if (ts.isBinaryExpression(node)) addBinary(node);
    else if (ts.isCallExpression(node)) addCall(node);
    else if (ts.isPrefixUnaryExpression(node) && node.operator === ts.SyntaxKind.ExclamationToken)
      add(node, node.operand.getText(source));
    else if (node.kind === ts.SyntaxKind.TrueKeyword) add(node, "false");
    else if (node.kind === ts.SyntaxKind.FalseKeyword) add(node, "true");
    else if (ts.isNumericLiteral(node)) add(node, otherNumber(node.getText(source)));
    else if (ts.isIfStatement(node)) addNegated(node.expression);
    else if (ts.isConditionalExpression(node)) addNegated(node.condition);
    else if (ts.isExpressionStatement(node)) add(node, ";");
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

/** Shortens a text to one line. */
function shown(text) {
  return text.replaceAll(/\s+/g, " ").slice(0, 80);
}
