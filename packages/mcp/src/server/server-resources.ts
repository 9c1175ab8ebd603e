import { toBase64 } from "@ccl/core/json";
import { ProtocolError, type Resource, type Server } from "@modelcontextprotocol/server";

import type { ServerParts } from "./mcp-server-options.ts";

const cardPrefix = "ccl://card/";
const artifactPrefix = "ccl://artifact/";
/** Maximum number of stored results to list. */
const maxListed = 100;
/** Maximum number of bytes of an artifact to serve as a resource. The artifact tools can read the rest. */
const maxBytes = 100_000;
/** MCP error code. */
const resourceNotFoundCode = -32_002;

/** Adds file index cards and the session's stored artifacts as resources. */
export function addResources(
  server: Server,
  { project, artifacts }: ServerParts,
  sessionId: string,
): void {
  const listCards = async (): Promise<Resource[]> =>
    ((await project?.())?.registry.list() ?? []).map(({ alias, path }) => ({
      uri: cardPrefix + path.split("/").map(encodeURIComponent).join("/"),
      name: `${alias} ${path}`,
      mimeType: "text/plain",
    }));
  const listArtifacts = async (signal: AbortSignal): Promise<Resource[]> => {
    const store = await artifacts?.();
    const page = await store?.listHandles({ sessionId, limit: maxListed, signal });
    // The same content may have been stored more than once.
    const byId = new Map(page?.handles.map((handle) => [handle.artifactId, handle]));
    return [...byId.values()].map(({ artifactId, mimeType, source, sizeBytes }) => ({
      uri: artifactPrefix + artifactId,
      name: `${source} ${artifactId.slice(0, 12)}`,
      mimeType,
      size: sizeBytes,
    }));
  };
  const readCard = async (path: string, signal: AbortSignal): Promise<string | undefined> => {
    const registry = (await project?.())?.registry;
    const entry = registry?.list().find((one) => one.path === path);
    if (entry === undefined) return undefined;
    const content = await registry?.resolve(entry.alias, { signal });
    const text = content?.ok === true ? content.value.text : undefined;
    if (text === undefined) return undefined;
    const { buildCard } = await import("@ccl/aliases");
    return (await buildCard({ alias: entry.alias, path, text }, { signal })).text;
  };
  server.setRequestHandler("resources/list", async (_, { mcpReq: { signal } }) => ({
    resources: [...(await listArtifacts(signal)), ...(await listCards())],
  }));
  server.setRequestHandler("resources/templates/list", () => ({
    resourceTemplates: [
      {
        uriTemplate: `${cardPrefix}{+path}`,
        name: "card",
        description: "A ten-line summary of a file.",
      },
      {
        uriTemplate: `${artifactPrefix}{id}`,
        name: "artifact",
        description: "A stored tool result.",
      },
    ],
  }));
  server.setRequestHandler("resources/read", async ({ params }, { mcpReq: { signal } }) => {
    const { uri } = params;
    if (uri.startsWith(cardPrefix)) {
      const text = await readCard(decode(uri.slice(cardPrefix.length)), signal);
      if (text !== undefined) return { contents: [{ uri, mimeType: "text/plain", text }] };
    }
    const id = uri.startsWith(artifactPrefix) ? uri.slice(artifactPrefix.length) : "";
    const store = await artifacts?.();
    const [handle] = /^[0-9a-f]{64}$/.test(id)
      ? ((await store?.getHandles(id, { signal })) ?? [])
      : [];
    const data =
      handle && (await store?.retrieve(id, { range: { start: 0, end: maxBytes }, signal }));
    if (handle === undefined || data === undefined)
      throw new ProtocolError(
        resourceNotFoundCode,
        `Unknown resource ${JSON.stringify(uri.slice(0, 200))}.`,
      );
    const { mimeType, sizeBytes } = handle;
    const isCut = sizeBytes > maxBytes;
    const text = decodeText(data, isCut);
    if (text !== undefined) {
      const rest = `\n[first ${maxBytes} of ${sizeBytes} bytes; use search_artifact or read_artifact for the rest]`;
      return { contents: [{ uri, mimeType, text: isCut ? text + rest : text }] };
    }
    if (!isCut) return { contents: [{ uri, mimeType, blob: toBase64(data) }] };
    const limit = `[${mimeType}, ${sizeBytes} bytes; binary resources are limited to ${maxBytes}]`;
    return { contents: [{ uri, text: limit }] };
  });
}

/** Decodes text, without a partial character at the end if it was cut. Returns undefined for binary data. */
function decodeText(data: Uint8Array, stream: boolean): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(data, { stream });
  } catch {
    return undefined;
  }
}

function decode(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}
