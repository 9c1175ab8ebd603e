import { isRecord } from "@ccl/core/json";
import {
  CLIENT_CAPABILITIES_META_KEY,
  type ClientCapabilities,
  isSpecType,
  type Server,
  type ServerContext,
} from "@modelcontextprotocol/server";

/** What the client can do: it says so with each request, or in the handshake of the older protocol. */
export function capabilitiesOf(server: Server, { mcpReq }: ServerContext): ClientCapabilities {
  const envelope: unknown = mcpReq.envelope;
  const given = isRecord(envelope) ? envelope[CLIENT_CAPABILITIES_META_KEY] : undefined;
  return areCapabilities(given) ? given : (server.getClientCapabilities() ?? {});
}

function areCapabilities(value: unknown): value is ClientCapabilities {
  return isSpecType.ClientCapabilities(value);
}
