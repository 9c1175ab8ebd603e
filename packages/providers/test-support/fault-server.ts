import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

import { isRecord, type JsonRecord, parseJson } from "@ccl/core/json";

import type { DialectFormat } from "../src/testing/dialect-format.ts";
import { responsesFormat } from "../src/testing/responses-format.ts";
import { type Fault, pause, played } from "./fault-table.ts";

/** Runs the collector. */
export const collectGarbage: () => void = garbageCollector();
const vectors = [Array.from({ length: 8 }, (_, index) => index)];
let collecting: Promise<void> | undefined;
/** Collects garbage soon, once for all calls that wait for it. */
const collected = (): Promise<void> =>
  (collecting ??= pause(20).then(() => {
    collectGarbage();
    collecting = undefined;
  }));

/** A fault under an address of its own. */
export interface Registered {
  fault: Fault;
  format: DialectFormat;
  /** Calls so far. */
  attempts: number;
}

export interface FaultServer {
  /** An address under which calls meet the fault. */
  register(fault: Fault, format: DialectFormat): { baseUrl: string; known: Registered };
  close(): void;
}

/** A server that collects garbage before and after each answer. */
export async function openFaultServer(): Promise<FaultServer> {
  const registered: Registered[] = [];
  const server = createServer((incoming, response) => {
    const id = /^\/(\d+)\//.exec(incoming.url ?? "")?.[1] ?? "";
    const pieces: Buffer[] = [];
    incoming.on("data", (piece: Buffer) => pieces.push(piece));
    incoming.on("end", () => {
      const known = registered[Number(id || NaN)];
      if (known === undefined) return void response.writeHead(404).end();
      known.attempts++;
      const body = parseJson(Buffer.concat(pieces).toString());
      const call = { path: incoming.url ?? "", body: isRecord(body) ? body : {} };
      void serve(known, response, call);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    register(fault, format) {
      const known: Registered = { fault, format, attempts: 0 };
      registered.push(known);
      return { baseUrl: `http://127.0.0.1:${port}/${registered.length - 1}`, known };
    },
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}

async function serve(
  known: Registered,
  response: ServerResponse,
  { path, body }: { path: string; body: JsonRecord },
): Promise<void> {
  const { fault, format, attempts: attempt } = known;
  const isEmbedding = body["input"] !== undefined && format !== responsesFormat;
  const isStreaming = !isEmbedding && format.isStreaming(body, path.split("?")[0] ?? "");
  const whole = isEmbedding
    ? (format.toEmbeddings?.(vectors, body) ?? {})
    : format.toWhole(played, body);
  const frames = isStreaming ? format.toStream(played, body) : [JSON.stringify(whole)];
  response.on("error", () => undefined);
  await collected();
  await fault.serve({ response, attempt, isStreaming, frames, format });
  await collected();
}

function garbageCollector(): () => void {
  setFlagsFromString("--expose-gc");
  const collect: unknown = runInNewContext("gc");
  if (typeof collect !== "function") throw new Error("This runtime has no collector to call.");
  return () => void Reflect.apply(collect, undefined, []);
}
