// Every adapter and the official clients against every server behaviour; see fault-matrix.mjs.
import { adapters, type Caller } from "../test-support/adapter-callers.ts";
import { type Cell, isBad, playRow, renderMatrix } from "../test-support/fault-matrix.ts";
import { openFaultServer } from "../test-support/fault-server.ts";
import { faults } from "../test-support/fault-table.ts";
import { fromCompletion, officials } from "../test-support/official-callers.ts";
import { openAiFormat } from "../src/testing/openai-format.ts";

/** The control: a plain fetch with a signal, as people write it. */
const plain: Caller = {
  name: "plain fetch",
  format: openAiFormat("openai"),
  async run(baseUrl, timeoutMs) {
    const response = await fetch(`${baseUrl}/v1/chat/completions`, {
      method: "POST",
      body: JSON.stringify({ model: "m", messages: [] }),
      headers: { "content-type": "application/json" },
      redirect: "error",
      signal: AbortSignal.timeout(timeoutMs),
    });
    return fromCompletion(JSON.parse(await response.text()));
  },
};

process.on("unhandledRejection", () => undefined);
const limits = { shortMs: 500, longMs: 10_000, graceMs: 1_500 };
const server = await openFaultServer();
const callers = [...adapters, ...officials, plain];
const cells: Cell[] = [];
const asked = process.env["CCL_FAULT"] ?? "";
for (const fault of faults.filter(({ name }) => name.includes(asked)))
  cells.push(...(await playRow(server, fault, callers, limits)));
server.close();
const title = `Node ${process.versions.node}: ${faults.length} behaviours, ${cells.length} calls`;
console.log(`${title}\n\n${renderMatrix(cells, adapters)}\n`);
console.log(renderMatrix(cells, [...officials, plain]));
const bad = cells.filter(
  (cell) => isBad(cell) && adapters.some(({ name }) => name === cell.caller),
);
for (const cell of bad) console.log(cell);
process.exit(0);
