// The syntax tree of a source file, parsed once for all checks of a run.
import fs from "node:fs";

import ts from "typescript";

const trees = new Map();

export function parseSource(file) {
  const tree =
    trees.get(file) ??
    ts.createSourceFile(file, fs.readFileSync(file, "utf8"), ts.ScriptTarget.Latest, true);
  trees.set(file, tree);
  return tree;
}
