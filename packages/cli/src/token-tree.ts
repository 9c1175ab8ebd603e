import type { AliasRegistry, Pack } from "@ccl/aliases";

import { estimateFileTokens } from "./estimate-raw-tokens.ts";
import { formatNumber } from "./output/format-number.ts";
import { printable } from "./output/printable.ts";

interface TreeNode {
  name: string;
  /** Of the files in full, estimated. */
  raw: number;
  /** In the pack. */
  shown: number;
  files: number;
  children: Map<string, TreeNode>;
}

/** Folders and files below this share of all tokens are counted together. */
const MIN_SHARE = 0.01;

/** The files of a project as a tree, with what the pack shows of each and the estimated tokens of all of it. */
export async function renderTokenTree(
  pack: Pick<Pack, "entries">,
  registry: AliasRegistry,
  signal: AbortSignal,
): Promise<string> {
  const shown = new Map(pack.entries.map(({ path, tokens }) => [path, tokens]));
  const root = emptyNode(".");
  for (const stat of await registry.stat({ signal })) {
    const raw = await estimateFileTokens(stat, registry, signal);
    let node = root;
    for (const name of ["", ...stat.path.split("/")]) {
      if (name !== "") {
        const child = node.children.get(name) ?? emptyNode(name);
        node.children.set(name, child);
        node = child;
      }
      node.raw += raw;
      node.shown += shown.get(stat.path) ?? 0;
      node.files += 1;
    }
  }
  const width = formatNumber(root.raw).length;
  return linesOf(root, { min: root.raw * MIN_SHARE, width, depth: 0 }).join("");
}

function emptyNode(name: string): TreeNode {
  return { name, raw: 0, shown: 0, files: 0, children: new Map() };
}

function linesOf(node: TreeNode, layout: { min: number; width: number; depth: number }): string[] {
  const { min, width, depth } = layout;
  const row = (shown: number, raw: number, name: string): string =>
    `${formatNumber(shown).padStart(width)} of ~${formatNumber(raw).padStart(width)}  ${"  ".repeat(depth)}${name}\n`;
  const children = [...node.children.values()].sort((a, b) => b.raw - a.raw);
  const large = children.filter((child) => child.raw >= min || child.shown > 0);
  const small = children.filter((child) => !large.includes(child));
  const sum = (key: "raw" | "files"): number => small.reduce((all, child) => all + child[key], 0);
  const name = node.children.size > 0 && depth > 0 ? `${node.name}/` : node.name;
  const below = { ...layout, depth: depth + 1 };
  return [
    row(node.shown, node.raw, printable(name)),
    ...large.flatMap((child) => linesOf(child, below)),
    ...(small.length === 0
      ? []
      : [row(0, sum("raw"), `  ... ${formatNumber(sum("files"))} smaller files`)]),
  ];
}
