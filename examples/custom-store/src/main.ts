import { readFile } from "node:fs/promises";

import { createKeyValueArtifactStore } from "@ccl/artifact-store";
import { keyValueStoreConformance } from "@ccl/artifact-store/conformance";
import { createSessionStore } from "@ccl/context-compiler";
import { createCatalog } from "@ccl/catalog";
import { type KeyValue, openRecords } from "@ccl/records";
import { recordsConformance } from "@ccl/records/conformance";

import { type Backend, openBackends } from "./open-backends.ts";

const report = `total\n${Array.from({ length: 50_000 }, (_, row) => `${row},sold`).join("\n")}`;

/** Stores a report and reads its end, as an application does. */
async function use({ open }: Backend): Promise<string> {
  const store = createKeyValueArtifactStore(await open());
  const { artifactId, sizeBytes } = await store.store(report, { source: "tool:sales" });
  const range = { start: sizeBytes - 10 };
  const end = await store.retrieve(artifactId, { range });
  await store.close();
  return new TextDecoder().decode(end);
}

/** A backend of records also stores sessions and a catalogue, among others. */
async function useRecords({ open }: Backend<KeyValue>): Promise<string> {
  const records = await openRecords({ keyValue: await open() });
  const event = { kind: "user_input", data: { content: "How many were sold?" } } as const;
  const sessions = createSessionStore(records);
  await sessions.append("s1", [{ ...event, eventId: "e1", timestamp: 0, tokens: 6 }], {
    expectedVersion: 0,
  });
  const sales = { id: "res:db.sales", kind: "tabular", title: "Sales" };
  await createCatalog({ records }).register([sales]);
  const { hits } = await createCatalog({ records }).search({ text: "sales" });
  const { events } = await sessions.read("s1");
  await records.close();
  return `${events.length} event, ${hits[0]?.id}`;
}

/** Fails if a rule does not hold. */
async function countRules(
  name: string,
  rules: readonly { name: string; run(): Promise<void> }[],
): Promise<number> {
  for (const rule of rules)
    await rule.run().catch((cause: unknown) => {
      throw new Error(`${name} fails a rule: ${rule.name}`, { cause });
    });
  return rules.length;
}

async function row(
  { name, file }: Backend<unknown>,
  use: () => Promise<string>,
  rules: Parameters<typeof countRules>[1],
): Promise<string> {
  const start = performance.now();
  const source = await readFile(new URL(`../src/${file}.ts`, import.meta.url), "utf8");
  const lines = String(source.trimEnd().split("\n").length);
  const used = await use();
  const kept = String(await countRules(name, rules));
  const seconds = ((performance.now() - start) / 1_000).toFixed(1);
  return `${name.padEnd(11)}${lines.padStart(5)}  ${used.padEnd(23)}${kept.padStart(13)}${seconds.padStart(9)}`;
}

// A slow disk is not a fault of a store.
const ruleTimeoutMs = 600_000;
const tryArtifacts = (backend: Backend): Promise<string> =>
  row(
    backend,
    async () => JSON.stringify(await use(backend)),
    keyValueStoreConformance({ open: backend.open, ruleTimeoutMs }),
  );
const tryRecords = (backend: Backend<KeyValue>): Promise<string> => {
  const open = async () => openRecords({ keyValue: await backend.open() });
  return row(backend, () => useRecords(backend), recordsConformance({ open }));
};

const { backends, recordBackends, close } = await openBackends();
try {
  console.log("artifacts  lines  end of the report      checks passed  seconds");
  for (const line of await Promise.all(backends.map(tryArtifacts))) console.log(line);
  console.log("records    lines  what is kept           checks passed  seconds");
  for (const line of await Promise.all(recordBackends.map(tryRecords))) console.log(line);
  if (recordBackends.length < 2) console.log("Set REDIS_URL to try Redis as well.");
} finally {
  await close();
}
