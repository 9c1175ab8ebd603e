// Files that import each other in a circle, type imports included.
import path from "node:path";

import { groupBy } from "./group-by.mjs";

/**
 * Each circle as its files, in the order of their paths: the strongly connected components of the graph of imports.
 * @param {{ file: string, imports: string[] }[]} sources
 * @returns {string[][]}
 */
export function findCycles(sources) {
  const imports = new Map(
    sources.map(({ file, imports: specifiers }) => [
      file,
      specifiers.map((specifier) => path.posix.join(path.posix.dirname(file), specifier)),
    ]),
  );
  const reached = new Map([...imports.keys()].map((file) => [file, reachFrom(file, imports)]));
  const isInCircle = (file) => reached.get(file).has(file);
  return groupBy([...imports.keys()].filter(isInCircle).sort(), (file) =>
    [...reached.get(file)]
      .filter((other) => reached.get(other)?.has(file))
      .sort()
      .join(),
  );
}

function reachFrom(start, imports) {
  const reached = new Set();
  const queue = [...(imports.get(start) ?? [])];
  for (let file = queue.pop(); file !== undefined; file = queue.pop()) {
    if (reached.has(file)) continue;
    reached.add(file);
    queue.push(...(imports.get(file) ?? []));
  }
  return reached;
}
