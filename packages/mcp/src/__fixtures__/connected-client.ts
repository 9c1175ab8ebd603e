import { Client, type ClientOptions } from "@modelcontextprotocol/client";
import { InMemoryTransport } from "@modelcontextprotocol/server";

import type { McpServerFactory } from "../server/mcp-server-options.ts";

/** A client that is connected to what a factory serves, in memory. `prepare` sets its handlers. */
export async function connectedClient(
  factory: McpServerFactory,
  options?: ClientOptions,
  prepare?: (client: Client) => void,
): Promise<Client> {
  const client = new Client({ name: "test", version: "1" }, options);
  prepare?.(client);
  const [ours, theirs] = InMemoryTransport.createLinkedPair();
  await factory({ era: "legacy" }).connect(theirs);
  await client.connect(ours);
  return client;
}
