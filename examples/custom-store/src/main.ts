import { readFile } from "node:fs/promises";

import { createKeyValueArtifactStore } from "@ccl/artifact-store";
import { keyValueStoreConformance } from "@ccl/artifact-store/conformance";

import { type Backend, openBackends } from "./open-backends.ts";

const report = `total\n${Array.from({ length: 50_000 }, (_, row) => `${row},sold`).join("\n")}`;

/** Keeps a report and gets the end of it back, as an application does. */
async function use({ open }: Backend): Promise<string> {
  const store = createKeyValueArtifactStore(await open());
  const { artifactId, sizeBytes } = await store.store(report, { source: "tool:sales" });
  const range = { start: sizeBytes - 10 };
  const end = await store.retrieve(artifactId, { range });
  await store.close();
  return new TextDecoder().decode(end);
}

async function countRules({ name, open }: Backend): Promise<number> {
  // A slow disk is no fault of a store.
  const rules = keyValueStoreConformance({ open, ruleTimeoutMs: 600_000 });
  for (const rule of rules)
    await rule.run().catch((cause: unknown) => {
      throw new Error(`${name} fails a rule: ${rule.name}`, { cause });
    });
  return rules.length;
}

async function tryOut(backend: Backend): Promise<string> {
  const start = performance.now();
  const source = await readFile(new URL(`../src/${backend.file}.ts`, import.meta.url), "utf8");
  const lines = String(source.trimEnd().split("\n").length);
  const end = JSON.stringify(await use(backend));
  const kept = String(await countRules(backend));
  const seconds = ((performance.now() - start) / 1_000).toFixed(1);
  const name = backend.name.padEnd(11);
  return `${name}${lines.padStart(5)}  ${end.padEnd(17)}${kept.padStart(15)}${seconds.padStart(9)}`;
}

const { backends, close } = await openBackends();
try {
  console.log("backend    lines  end of the report  checks passed  seconds");
  for (const line of await Promise.all(backends.map(tryOut))) console.log(line);
  if (backends.length < 5) console.log("Set REDIS_URL to try Redis as well.");
} finally {
  await close();
}
