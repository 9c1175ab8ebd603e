import { randomBytes } from "node:crypto";

import { artifactStoreConformance, type ConformanceRule } from "@ccl/artifact-store/conformance";

import { createKitOptions } from "./kit-options.ts";
import { openPlace } from "./open-place.ts";
import { createProcessRules } from "./process-rules.ts";

async function check(title: string, rules: readonly ConformanceRule[]): Promise<void> {
  console.log(`\n${title}`);
  for (const { name, run } of rules) {
    const start = performance.now();
    await run().catch((cause: unknown) => {
      throw new Error(`broken: ${name}`, { cause });
    });
    console.log(`  kept ${String(Math.round(performance.now() - start)).padStart(6)} ms  ${name}`);
  }
}

const place = await openPlace();
try {
  console.log(`Stores over ${place.name}`);
  const plain = artifactStoreConformance(createKitOptions(place));
  const encrypted = artifactStoreConformance(createKitOptions(place, randomBytes(32)));
  const more = createProcessRules(place);
  await check("The conformance kit", plain);
  await check("The conformance kit over withEncryption", encrypted);
  await check("Stores of several processes", more);
  console.log(
    `\n${plain.length + encrypted.length + more.length} promises kept over ${place.name}`,
  );
} finally {
  await place.close();
}
