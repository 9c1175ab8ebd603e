// Prints all files of a folder as the heads of their declarations, through the library: heads-of-tree.mjs ROOT OUT [persist]
import fs from "node:fs";

import { buildOutline, openAliasRegistry } from "../../packages/aliases/dist/index.js";

const [root, out, persist] = process.argv.slice(2);
const kind = "bench-heads:1";
const registry = await openAliasRegistry({ root, persist: persist === "persist" });
await registry.scan();
const blocks = [];
for (const { alias, path, sha256 } of registry.list()) {
  blocks.push(`<file path="${path}">\n${await headsOf({ alias, path, sha256 })}\n</file>\n`);
}
await registry.cache.flush();
await registry.close();
fs.writeFileSync(out, blocks.join(""));

async function headsOf({ alias, path, sha256 }) {
  const known = sha256 && registry.cache.get(kind, sha256);
  if (known !== undefined) return known;
  const content = await registry.resolve(alias);
  if (!content.ok) throw new Error(content.issues.map((issue) => issue.message).join("\n"));
  const { items } = await buildOutline({ path, text: content.value.text ?? "" });
  const text = items.map((item) => `${item.kind} ${item.name}`).join("\n");
  registry.cache.set(kind, content.value.sha256, text);
  return text;
}
