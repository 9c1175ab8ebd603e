import { ProtocolError, type Resource, type Server } from "@modelcontextprotocol/server";

import type { ServerParts } from "./mcp-server-options.ts";

const cards = "ccl://card/";
const storedResults = "ccl://artifact/";
/** Maximum number of stored results to list. */
const maxListed = 100;
/** Maximum size of an artifact served as a resource. The tools read larger ones in pieces. */
const maxBytes = 100_000;
const notFound = -32_002;

/** Adds file index cards and the session's stored artifacts as resources. */
export function addResources(
  server: Server,
  { project, artifacts }: ServerParts,
  sessionId: string,
): void {
  const listCards = async (): Promise<Resource[]> =>
    ((await project?.())?.registry.list() ?? []).map(({ alias, path }) => ({
      uri: cards + encodeURI(path),
      name: `${alias} ${path}`,
      mimeType: "text/plain",
    }));
  const listArtifacts = async (signal: AbortSignal): Promise<Resource[]> => {
    const store = await artifacts?.();
    const page = await store?.listHandles({ sessionId, limit: maxListed, signal });
    return (page?.handles ?? []).map(({ artifactId, mimeType, source, sizeBytes }) => ({
      uri: storedResults + artifactId,
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
    if (content?.ok !== true || content.value.text === undefined) return undefined;
    const { text } = content.value;
    const { buildCard } = await import("@ccl/aliases");
    return (await buildCard({ alias: entry.alias, path, text }, { signal })).text;
  };
  server.setRequestHandler("resources/list", async (_, { mcpReq: { signal } }) => ({
    resources: [...(await listArtifacts(signal)), ...(await listCards())],
  }));
  server.setRequestHandler("resources/templates/list", () => ({
    resourceTemplates: [
      { uriTemplate: `${cards}{+path}`, name: "card", description: "A file in ten lines." },
      {
        uriTemplate: `${storedResults}{id}`,
        name: "artifact",
        description: "A stored result.",
      },
    ],
  }));
  server.setRequestHandler("resources/read", async ({ params }, { mcpReq: { signal } }) => {
    const { uri } = params;
    if (uri.startsWith(cards)) {
      const text = await readCard(decode(uri.slice(cards.length)), signal);
      if (text !== undefined) return { contents: [{ uri, mimeType: "text/plain", text }] };
    }
    const id = uri.startsWith(storedResults) ? uri.slice(storedResults.length) : "";
    const store = await artifacts?.();
    const [handle] = /^[0-9a-f]{64}$/.test(id)
      ? ((await store?.getHandles(id, { signal })) ?? [])
      : [];
    const data =
      handle && (await store?.retrieve(id, { range: { start: 0, end: maxBytes }, signal }));
    if (handle === undefined || data === undefined)
      throw new ProtocolError(notFound, `Unknown resource ${JSON.stringify(uri.slice(0, 200))}.`);
    const { mimeType, sizeBytes } = handle;
    const rest =
      sizeBytes > maxBytes
        ? `\n[the first ${maxBytes} of ${sizeBytes} bytes; search_artifact and read_artifact give the rest]`
        : "";
    return { contents: [{ uri, mimeType, text: new TextDecoder().decode(data) + rest }] };
  });
}

function decode(path: string): string {
  try {
    return decodeURI(path);
  } catch {
    return path;
  }
}
