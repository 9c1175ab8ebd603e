import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { isRecord, type JsonRecord } from "@ccl/core/json";

/** A provider on loopback that answers each request with a function, and records the requests. */
export interface FakeUpstream {
  url: string;
  requests: { path: string; body: JsonRecord }[];
  close(): Promise<void>;
}

/** Returns the body of an answer, or text that is sent as an event stream. */
export type Answer = (body: JsonRecord, at: number) => object | string;

/** Starts a provider on a free port. */
export async function startUpstream(answer: Answer): Promise<FakeUpstream> {
  const requests: FakeUpstream["requests"] = [];
  const server = createServer((request, response) => {
    let text = "";
    request.on("data", (chunk) => (text += String(chunk)));
    request.on("end", () => {
      const body: unknown = text === "" ? {} : JSON.parse(text);
      if (!isRecord(body)) throw new TypeError("The fake provider takes objects.");
      requests.push({ path: request.url ?? "", body });
      const given = answer(body, requests.length - 1);
      const isStream = typeof given === "string";
      const type = isStream ? "text/event-stream" : "application/json";
      response.writeHead(200, { "content-type": type, connection: "close" });
      response.end(isStream ? given : JSON.stringify(given));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  if (!isAddress(address)) throw new TypeError("The fake provider has no port.");
  return {
    url: `http://127.0.0.1:${address.port}`,
    requests,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}

function isAddress(
  address: ReturnType<ReturnType<typeof createServer>["address"]>,
): address is AddressInfo {
  return typeof address === "object" && address !== null;
}
