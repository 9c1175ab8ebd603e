import { isRecord } from "@ccl/core/json";
import {
  CLIENT_CAPABILITIES_META_KEY,
  type ClientCapabilities,
  isSpecType,
  type Server,
  type ServerContext,
} from "@modelcontextprotocol/server";

/** The client's capabilities, from the request or, in the older protocol, from the handshake. */
export function capabilitiesOf(server: Server, { mcpReq }: ServerContext): ClientCapabilities {
  const envelope: unknown = mcpReq.envelope;
  const given = isRecord(envelope) ? envelope[CLIENT_CAPABILITIES_META_KEY] : undefined;
  return areCapabilities(given) ? given : (server.getClientCapabilities() ?? {});
}

function areCapabilities(value: unknown): value is ClientCapabilities {
  return isSpecType.ClientCapabilities(value);
}
