import { readdir, readFile, rm, stat } from "node:fs/promises";
import { join } from "node:path";

import { isRecord, parseJson } from "@ccl/core/json";
import { unless } from "@ccl/core/node";
import type { Records } from "@ccl/records";
import { openRecords } from "@ccl/records/node";

/**
 * Opens the records of a gateway on this machine, in the folder `gateway` of the state folder. A power failure may lose
 * the latest records. Moves files of earlier versions into the records.
 * @throws RecordsError
 */
export async function openGatewayRecords(state: string): Promise<Records> {
  const records = await openRecords({ folder: join(state, "gateway"), durability: "normal" });
  const folder = join(state, "decisions");
  for (const name of await unless(["ENOENT"], readdir(folder), [])) {
    if (!name.endsWith(".jsonl")) continue;
    const path = join(folder, name);
    const { mtimeMs: keptAtMs } = await stat(path);
    const lines = (await readFile(path, "utf8")).split("\n").map(parseJson).filter(isRecord);
    const append = `gateway/decisions/${name.slice(0, -".jsonl".length)}`;
    await records.write([{ append, entries: lines.map((line) => ({ ...line, keptAtMs })) }]);
    await rm(path);
  }
  return records;
}
