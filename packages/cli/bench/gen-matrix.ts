// `ccl gen --apply` against every server behaviour, over three wire formats; see gen-matrix.mjs.
import { spawn } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";

import { anthropicFormat } from "../../providers/src/testing/anthropic-format.ts";
import type { DialectFormat } from "../../providers/src/testing/dialect-format.ts";
import { ollamaFormat } from "../../providers/src/testing/ollama-format.ts";
import { openAiFormat } from "../../providers/src/testing/openai-format.ts";
import { type FaultServer, openFaultServer } from "../../providers/test-support/fault-server.ts";
import { type Fault, faults, played } from "../../providers/test-support/fault-table.ts";

const program = process.argv[2] ?? "";
const timeoutSeconds = 5;
/** Retries are part of the time limit. The rest is for starting, reading and applying on a busy machine. */
const endsWithinMs = 3 * timeoutSeconds * 1000 + 15_000;

const before = "export const port = 80;\n";
Object.assign(played, {
  text: "The port is 8080 👋 in this change.\n*** Begin Patch\n*** Update File: port.mjs\n@@\n-export const port = 80;\n+export const port = 8080;\n*** End Patch\n",
  toolCalls: [],
  finishReason: "stop",
});

const wires: [string, DialectFormat, (baseUrl: string) => Record<string, string>][] = [
  [
    "openai/gpt-x",
    openAiFormat("openai"),
    (url) => ({ OPENAI_BASE_URL: `${url}/v1`, OPENAI_API_KEY: "k" }),
  ],
  [
    "anthropic/claude-x",
    anthropicFormat,
    (url) => ({ ANTHROPIC_BASE_URL: url, ANTHROPIC_API_KEY: "k" }),
  ],
  ["ollama/x", ollamaFormat, (url) => ({ OLLAMA_HOST: url })],
];

interface Ending {
  fault: string;
  wire: string;
  ending: "finished" | "typed" | "untyped" | "hang" | "half";
  ms: number;
  said: string;
}

async function play(
  server: FaultServer,
  fault: Fault,
  wire: (typeof wires)[number],
): Promise<Ending> {
  const [model, format, envOf] = wire;
  const root = fs.mkdtempSync(path.join(os.tmpdir(), "ccl-matrix-"));
  fs.writeFileSync(path.join(root, "port.mjs"), before);
  const { baseUrl } = server.register(fault, format);
  const args = [
    "gen",
    "use port 8080 in port.mjs",
    "--apply",
    "--json",
    "--model",
    model,
    "--timeout",
    String(timeoutSeconds),
  ];
  const child = spawn(process.execPath, [program, ...args, "--model-encoding", "estimate"], {
    cwd: root,
    env: { PATH: process.env["PATH"], HOME: root, ...envOf(baseUrl) },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let said = "";
  child.stdout.on("data", (piece: Buffer) => (said += piece.toString()));
  const startedMs = performance.now();
  const timer = setTimeout(() => child.kill("SIGKILL"), endsWithinMs);
  const [code, signal] = await new Promise<[number | null, string | null]>((done) =>
    child.on("close", (...ended) => done(ended)),
  );
  clearTimeout(timer);
  const after = fs.readFileSync(path.join(root, "port.mjs"), "utf8");
  fs.rmSync(root, { recursive: true });
  const name = /"code": "([\w]+)"/.exec(said)?.[1];
  const isWhole = after === (code === 0 ? before.replace("80", "8080") : before);
  const ending =
    signal !== null
      ? "hang"
      : !isWhole
        ? "half"
        : code === 0
          ? "finished"
          : name === undefined || code === 1
            ? "untyped"
            : "typed";
  return {
    fault: fault.name,
    wire: model,
    ending,
    ms: Math.round(performance.now() - startedMs),
    said: name ?? "",
  };
}

const server = await openFaultServer();
const all: Ending[] = [];
const cells = faults.flatMap((fault) => wires.map((wire) => ({ fault, wire })));
await Promise.all(
  Array.from({ length: 3 }, async () => {
    for (let cell = cells.shift(); cell !== undefined; cell = cells.shift())
      all.push(await play(server, cell.fault, cell.wire));
  }),
);
server.close();
const counts = new Map<string, number>();
for (const { ending } of all) counts.set(ending, (counts.get(ending) ?? 0) + 1);
for (const { name, codes } of faults) {
  const row = all.filter((one) => one.fault === name);
  const shown = row.map(
    ({ wire, ending, said, ms }) => `${wire.split("/")[0]}: ${ending} ${said} ${ms} ms`,
  );
  // Without codes, the whole answer must arrive.
  const isLost = codes === undefined && row.some(({ ending }) => ending !== "finished");
  console.log(`${isLost ? "!" : " "} ${name}\n    ${shown.join("\n    ")}`);
}
console.log(`${faults.length} behaviours x ${wires.length} wires`, Object.fromEntries(counts));
