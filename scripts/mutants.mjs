// node scripts/mutants.mjs [--sample N] [--seed N] [name ...]: changes the sources in small ways, one at a time and only in the
// memory of vitest, and says which changes no test notices. Tests that start processes run what was built, so they see none.
import fs from "node:fs";
import path from "node:path";
import { parseArgs } from "node:util";

import ts from "typescript";
import { createVitest } from "vitest/node";

/** What has to hold whatever happens: budgets, paths, schedules, stores, locks, and what is read and shown. */
const subjects = {
  budget: {
    files: ["core/src/tokens/token-budget.ts", "core/src/tokens/count-messages.ts"],
    tests: ["core/src/tokens/token-budget", "core/src/tokens/count-messages"],
  },
  path: {
    files: ["core/src/node/resolve-inside.ts", "plan-protocol/src/paths/"],
    tests: ["core/src/node/resolve-inside", "plan-protocol/src/paths/"],
  },
  scheduler: {
    files: [
      "operations/src/run/ranked-queue.ts",
      "operations/src/run/plan-run.ts",
      "operations/src/run/reduce-run.ts",
    ],
    tests: [
      "operations/src/run/reduce-run",
      "operations/src/run/run-basics",
      "operations/src/run/run-stopping",
    ],
  },
  store: {
    files: ["artifact-store/src/store/", "artifact-store/src/driver/plan-eviction.ts"],
    tests: ["artifact-store/src/"],
  },
  lock: {
    files: ["core/src/node/file-lock.ts"],
    tests: [
      "core/src/node/file-lock.test",
      "core/src/node/file-lock-orders",
      "core/src/node/file-lock-faults",
    ],
  },
  wire: { files: ["providers/src/wire/"], tests: ["providers/src/wire/"] },
  forms: {
    files: [
      "compress/src/render-units.ts",
      "compress/src/select-units.ts",
      "compress/src/json/",
      "compress/src/repeats/",
    ],
    tests: ["compress/src/"],
  },
};

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { sample: { type: "string", default: "12" }, seed: { type: "string", default: "1" } },
});
const root = path.resolve(import.meta.dirname, "..");
const packages = path.join(root, "packages");
process.chdir(root);
process.env.CCL_PROPERTY_RUNS ??= "50";

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
};

let current;
const plugin = {
  name: "mutant",
  enforce: "pre",
  transform(code, id) {
    const file = id.split("?")[0];
    if (current === undefined || file !== current.file) return undefined;
    return {
      code: code.slice(0, current.start) + current.text + code.slice(current.end),
      map: null,
    };
  },
};

for (const [name, { files, tests }] of Object.entries(subjects)) {
  if (positionals.length > 0 && !positionals.includes(name)) continue;
  const wanted = sampleOf(
    files.flatMap(sourcesIn).flatMap(mutantsOf),
    Number(values.sample),
    Number(values.seed),
  );
  const survivors = await survivorsOf(
    wanted,
    tests.map((test) => `packages/${test}`),
  );
  const killed = wanted.length - survivors.length;
  console.log(
    `${name}: ${killed} of ${wanted.length} killed (${((100 * killed) / wanted.length).toFixed(0)} %)`,
  );
  for (const { file, line, from, text } of survivors)
    console.log(`  survived: ${path.relative(packages, file)}:${line} ${from} -> ${text}`);
}
process.exit();

async function survivorsOf(mutants, filters) {
  current = undefined;
  const vitest = await createVitest(
    "test",
    {
      watch: false,
      bail: 1,
      silent: true,
      reporters: [{}],
      typecheck: { enabled: false },
      testTimeout: 60_000,
    },
    { plugins: [plugin] },
  );
  const specifications = await vitest.globTestSpecifications(filters);
  const isGreen = async () => {
    const { testModules, unhandledErrors } = await vitest.runTestSpecifications(
      specifications,
      true,
    );
    return unhandledErrors.length === 0 && testModules.every((module) => module.ok());
  };
  if (!(await isGreen())) throw new Error(`The tests fail without a change: ${filters.join(" ")}`);
  const survivors = [];
  for (const mutant of mutants) {
    if (current !== undefined) vitest.invalidateFile(current.file);
    current = mutant;
    vitest.invalidateFile(mutant.file);
    if (await isGreen()) survivors.push(mutant);
    process.stderr.write(survivors.at(-1) === mutant ? "s" : ".");
  }
  await vitest.close();
  return survivors;
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

/** The same ones for the same seed: a place in the list for each, by a linear congruential generator. */
function sampleOf(list, count, seed) {
  const left = [...list];
  let state = seed;
  return Array.from({ length: Math.min(count, list.length) }, () => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    return left.splice(state % left.length, 1)[0];
  });
}

/** A limit of a thousand is as good as one of a thousand and one. */
function otherNumber(text) {
  return Number(text.replaceAll("_", "")) < 20 ? `(${text} + 1)` : `(${text} * 10)`;
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
    found.push({ file, start, end: node.end, line, from: node.getText(source).slice(0, 60), text });
  };
  const visit = (node) => {
    if (ts.isTypeNode(node) || ts.isInterfaceDeclaration(node) || ts.isImportDeclaration(node))
      return;
    if (ts.isBinaryExpression(node)) {
      const text = swapped[node.operatorToken.getText(source)];
      if (text !== undefined) add(node.operatorToken, text);
    } else if (ts.isPrefixUnaryExpression(node) && node.operator === ts.SyntaxKind.ExclamationToken)
      add(node, node.operand.getText(source));
    else if (node.kind === ts.SyntaxKind.TrueKeyword) add(node, "false");
    else if (node.kind === ts.SyntaxKind.FalseKeyword) add(node, "true");
    else if (ts.isNumericLiteral(node)) add(node, otherNumber(node.getText(source)));
    else if (ts.isIfStatement(node)) add(node.expression, `!(${node.expression.getText(source)})`);
    else if (ts.isExpressionStatement(node)) add(node, ";");
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}
