import type { Client } from "@modelcontextprotocol/client";
import { expect, it, onTestFinished, vi } from "vitest";

import { stdioServer } from "../__fixtures__/stdio-server.ts";
import { createUpstream, type Upstream, type UpstreamOptions } from "./upstream.ts";

const tools = [{ name: "pid", inputSchema: { type: "object" } }];
const server = stdioServer(tools, `{ content: [{ type: "text", text: String(process.pid) }] }`);

function open(options: Partial<UpstreamOptions>): Upstream {
  const upstream = createUpstream("one", server, {
    capabilities: {},
    prefix: undefined,
    reserved: new Set(),
    prepare: () => undefined,
    onChange: () => undefined,
    ...options,
  });
  onTestFinished(() => upstream.close());
  return upstream;
}

it("closes only the connection that is open, not those that ended before", async () => {
  const closed: number[] = [];
  const clients: Client[] = [];
  const upstream = open({
    prepare(client) {
      const at = clients.push(client) - 1;
      const close = client.close.bind(client);
      client.close = () => {
        closed.push(at);
        return close();
      };
    },
  });
  await upstream.started;
  await clients[0]?.transport?.close();
  await vi.waitFor(() => expect(upstream.client).toBe(clients[1] ?? "the second"), {
    timeout: 5_000,
  });
  closed.length = 0;
  await upstream.close();
  expect(closed).toEqual([1]);
});

it("ends a connection that opens while it closes", async () => {
  let closing: Promise<void> | undefined;
  const upstream = open({
    prepare(client) {
      const connect = client.connect.bind(client);
      client.connect = async (transport, options) => {
        await connect(transport, options);
        closing = upstream.close();
      };
    },
  });
  await upstream.started;
  await closing;
  expect(upstream.client).toBeUndefined();
});
