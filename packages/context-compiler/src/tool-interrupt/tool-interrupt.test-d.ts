import type { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { expectTypeOf, it } from "vitest";
import type { McpClient } from "./index.ts";

it("accepts the official client", () => {
  expectTypeOf<Client>().toExtend<McpClient>();
});
