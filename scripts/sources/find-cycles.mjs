// Files, and folders of a package, that import each other, type imports included.
import path from "node:path";

import { groupBy } from "./group-by.mjs";

/**
 * @typedef {{ file: string, imports: string[] }} Importing
 * @typedef {Map<string, string[]>} ImportGraph What each file or folder imports.
 */

/** Each circle of files. @param {Importing[]} sources @returns {string[][]} */
export function findCycles(sources) {
  return circlesOf(new Map(sources.map((source) => [source.file, targetsOf(source)])));
}

/**
 * The pairs of folders that import each other, as `a <> b`, and the circles of folders. A folder is the directory of a
 * file. Files directly in `src`, the index and the errors, belong to no folder.
 * @param {Importing[]} sources
 * @returns {{ pairs: string[], circles: string[][] }}
 */
export function findFolderCycles(sources) {
  /** @type {ImportGraph} */
  const graph = new Map();
  for (const source of sources) {
    const folder = folderOf(source.file);
    if (folder === undefined) continue;
    const targets = targetsOf(source)
      .map(folderOf)
      .filter((target) => target !== undefined && target !== folder);
    graph.set(folder, [...new Set([...(graph.get(folder) ?? []), ...targets])]);
  }
  const pairs = [...graph].flatMap(([folder, targets]) =>
    targets
      .filter((target) => folder < target && graph.get(target)?.includes(folder))
      .map((target) => `${folder} <> ${target}`),
  );
  return { pairs: pairs.sort(), circles: circlesOf(graph) };
}

const targetsOf = ({ file, imports }) =>
  imports.map((specifier) => path.posix.join(path.posix.dirname(file), specifier));

/** `packages/sql/src/sqlite/open.ts` as `sql/sqlite`. */
const folderOf = (file) => /^packages\/([^/]+)\/src\/(.+)\/[^/]+$/.exec(file)?.slice(1).join("/");

/** The strongly connected components of more than one node, or of one that imports itself, each sorted. */
function circlesOf(graph) {
  const reached = new Map([...graph.keys()].map((node) => [node, reachFrom(node, graph)]));
  const isInCircle = (node) => reached.get(node).has(node);
  return groupBy([...graph.keys()].filter(isInCircle).sort(), (node) =>
    [...reached.get(node)]
      .filter((other) => reached.get(other)?.has(node))
      .sort()
      .join(),
  );
}

function reachFrom(start, graph) {
  const reached = new Set();
  const queue = [...(graph.get(start) ?? [])];
  for (let node = queue.pop(); node !== undefined; node = queue.pop()) {
    if (reached.has(node)) continue;
    reached.add(node);
    queue.push(...(graph.get(node) ?? []));
  }
  return reached;
}
