// Problems of the sources as sentences, compared with the budgets and with the findings that existed when a check was
// introduced.
import { nameOfFolder } from "../graph/workspace.mjs";
import { sumOf } from "./budget-history.mjs";
import { countWords } from "./count-words.mjs";
import { findCycles, findFolderCycles } from "./find-cycles.mjs";
import { findTwins } from "./find-twins.mjs";

const maxFileTokens = 2500;
const maxFunctionTokens = 500;

/**
 * The findings that existed when a check was introduced. They may only shrink.
 * @typedef {{ twins: string[], cycles: string[][], folders: string[], folderCircles: string[][], words: Record<string, number> }} Ratchet
 */

/**
 * @param {import("./read-sources.mjs").Source[]} sources
 * @param {{ ratchet: Ratchet, allowedTwins: Record<string, string>, rows: Record<string, { maxTokens?: number }> }} rules
 */
export function sourceProblems(sources, { ratchet, allowedTwins, rows }) {
  const found = findings(sources);
  return [
    ...twinProblems(found.twins, [...ratchet.twins, ...Object.keys(allowedTwins)]),
    ...unusedReasons(found.twins, allowedTwins),
    ...cycleProblems(found.cycles, ratchet.cycles),
    ...folderProblems(found.folders, ratchet),
    ...wordProblems(found.words, ratchet.words),
    ...budgetProblems(sources, rows),
    ...tooLarge(sources, 2).map((line) => `${line}; more than twice the budget`),
  ];
}

/** The ratchet for improved `sources`: fixed findings leave it, and none enters. */
export function lowerRatchet(sources, { ratchet, allowedTwins }) {
  const { twins, cycles, folders, words } = findings(sources);
  const ids = twins.map((twin) => twin.id).filter((id) => allowedTwins[id] === undefined);
  return {
    twins: ids.filter((id) => ratchet.twins.includes(id)),
    cycles: cycles.filter((cycle) => isKnownCycle(cycle, ratchet.cycles)),
    folders: folders.pairs.filter((pair) => ratchet.folders.includes(pair)),
    folderCircles: folders.circles.filter((circle) => isKnownCycle(circle, ratchet.folderCircles)),
    words: Object.fromEntries(
      Object.entries(words)
        .map(([name, counts]) => [name, Math.min(sumOf(counts), ratchet.words[name] ?? 0)])
        .filter(([, count]) => count > 0),
    ),
  };
}

/** @returns {Ratchet} The ratchet that allows everything that exists. */
export function initialRatchet(sources) {
  const { twins, cycles, folders, words } = findings(sources);
  const counts = Object.entries(words).map(([name, row]) => [name, sumOf(row)]);
  return {
    twins: twins.map((twin) => twin.id),
    cycles,
    folders: folders.pairs,
    folderCircles: folders.circles,
    words: Object.fromEntries(counts),
  };
}

/** Files and functions with more than `factor` times the allowed tokens. */
export function tooLarge(sources, factor = 1) {
  return sources.flatMap(({ file, tokens, functions }) => [
    ...(tokens > maxFileTokens * factor
      ? [`${file} has ${tokens} tokens; at most ${maxFileTokens}`]
      : []),
    ...functions
      .filter((item) => item.size > maxFunctionTokens * factor)
      .map(
        ({ line, name, size }) =>
          `${file}:${line} ${name || "function"} has ${size} tokens; at most ${maxFunctionTokens}`,
      ),
  ]);
}

/** Tokens of code by the name of the package's folder. */
export function tokensByPackage(sources) {
  const counts = {};
  for (const { package: name, tokens } of sources) counts[name] = (counts[name] ?? 0) + tokens;
  return counts;
}

function findings(sources) {
  return {
    twins: findTwins(sources),
    cycles: findCycles(sources),
    folders: findFolderCycles(sources),
    words: countWords(sources),
  };
}

function twinProblems(twins, known) {
  return twins
    .filter((twin) => !known.includes(twin.id))
    .map(
      ({ id, places }) =>
        `${id} stands in several packages (${places.join(", ")}); move it to the lowest package that they may import`,
    );
}

function unusedReasons(twins, allowed) {
  return Object.keys(allowed)
    .filter((id) => !twins.some((twin) => twin.id === id))
    .map((id) => `twins-allowed.json: ${id} stands in one package only; remove it from the list`);
}

function cycleProblems(cycles, known) {
  return cycles
    .filter((cycle) => !isKnownCycle(cycle, known))
    .map((cycle) => `these files import each other in a circle: ${cycle.join(", ")}`);
}

const isKnownCycle = (cycle, known) =>
  known.some((other) => cycle.every((file) => other.includes(file)));

/** Folders may call each other in only one direction. */
function folderProblems({ pairs, circles }, { folders, folderCircles }) {
  const isPair = (circle) =>
    pairs.some((pair) => pair.split(" <> ").every((one) => circle.includes(one)));
  return [
    ...pairs
      .filter((pair) => !folders.includes(pair))
      .map((pair) => `these folders import each other: ${pair}; let one call the other only`),
    ...circles
      .filter((circle) => !isPair(circle) && !isKnownCycle(circle, folderCircles))
      .map((circle) => `these folders import each other in a circle: ${circle.join(", ")}`),
  ];
}

function wordProblems(words, known) {
  return Object.entries(words)
    .filter(([name, counts]) => sumOf(counts) > (known[name] ?? 0))
    .map(([name, counts]) => {
      const list = Object.entries(counts).map(([word, count]) => `${word} ${count}`);
      return `${name} has ${sumOf(counts)} words in names and comments that are not the field's, at most ${known[name] ?? 0}: ${list.join(", ")}`;
    });
}

function budgetProblems(sources, rows) {
  return Object.entries(tokensByPackage(sources)).flatMap(([folder, tokens]) => {
    const name = nameOfFolder(folder);
    const max = rows[name]?.maxTokens;
    if (max === undefined) return [`package-graph.json gives ${name} no maxTokens`];
    return tokens <= max ? [] : [`${name} has ${tokens} tokens of code; at most ${max}`];
  });
}
