// Functions that occur in two packages. A helper that two packages need belongs in the lowest package that both may
// import.
import path from "node:path";

import { groupBy } from "./group-by.mjs";

// Shorter bodies are often equal by chance: `return items.map((item) => item.name)`.
const minTokensOfSameBody = 30;
const minTokensOfSameName = 12;
// With masked properties, and among inner functions and methods, shorter bodies are equal by chance.
const minTokensOfSameShape = 40;
// The share of pairs of neighbouring tokens that two functions with one name have in common.
const minLikeness = 0.5;
// Names of concepts that must exist only once, whatever their bodies look like.
const concepts = [
  /^(with|take|acquire|break|try|release|hold)\w*Lock$/,
  /^is(Json|Plain|Wire)?(Record|Object)$/,
  /^(throwIfAborted|onAbort|untilAborted|abortable)$/,
  /^(try|safe)?[pP]arseJson$/,
  /^(to|from|encode|decode)Base64/,
  /^parse(Csv|Delimited)/,
  /^(levenshtein|editDistance)/,
  /^(retry|withRetry|backoff)/,
  /^(systemCode|errorCode|codeOfError|isErrorWithCode)$/,
];

/**
 * Groups of functions in two or more packages that have the same body with all names and texts masked. Top-level
 * functions are also twins if shorter bodies share their properties, if bodies with one name are similar, or if they
 * have the name of a concept. The names of its functions identify a group, and the file identifies one without names.
 * @param {import("./read-sources.mjs").Source[]} sources
 * @returns {{ id: string, places: string[] }[]}
 */
export function findTwins(sources) {
  const all = sources.flatMap(({ package: owner, file, functions }) =>
    functions.map((item) => ({
      ...item,
      name: item.name || path.basename(file),
      package: owner,
      file,
    })),
  );
  const functions = all.filter(
    (item) => item.isTopLevel && item.body.length >= minTokensOfSameName,
  );
  const long = functions.filter((item) => item.body.length >= minTokensOfSameBody);
  const longest = all.filter((item) => item.body.length >= minTokensOfSameShape);
  const sameBody = groupBy(long, (item) => maskedBody(item));
  const sameShape = groupBy(longest, (item) => maskedBody(item, ["name", "property"]));
  const sameName = groupBy(functions, (item) => item.name).map(onlyAlike);
  const groups = new Map();
  for (const group of [...sameBody, ...sameShape, ...sameName].filter(isInTwoPackages)) {
    const id = [...new Set(group.map((item) => item.name))].sort().join(", ");
    const places = groups.get(id)?.places ?? new Set();
    for (const item of group) places.add(`${item.file}:${item.line}`);
    groups.set(id, { id, places });
  }
  return [...groups.values()]
    .map(({ id, places }) => ({ id, places: [...places].sort() }))
    .sort((a, b) => (a.id < b.id ? -1 : 1));
}

const isInTwoPackages = (group) => new Set(group.map((item) => item.package)).size > 1;

function onlyAlike(group) {
  if (concepts.some((concept) => concept.test(group[0].name))) return group;
  return group.filter((item) =>
    group.some((other) => other.package !== item.package && likeness(item, other) >= minLikeness),
  );
}

/** Numbers masked names in order of appearance. Keywords stay, and all texts become equal. */
function maskedBody({ body }, masked = ["name"]) {
  const names = new Map();
  const mask = ({ kind, text }) => {
    if (kind === "text") return '""';
    if (!masked.includes(kind)) return text;
    const name = `${kind} ${text}`;
    if (!names.has(name)) names.set(name, `n${names.size}`);
    return names.get(name);
  };
  return body.map(mask).join(" ");
}

function likeness(left, right) {
  const [a, b] = [pairsOf(left), pairsOf(right)];
  const shared = [...a].filter((pair) => b.has(pair)).length;
  return shared / (a.size + b.size - shared);
}

function pairsOf(item) {
  const tokens = maskedBody(item).split(" ");
  return new Set(tokens.slice(1).map((token, index) => `${tokens[index]} ${token}`));
}
