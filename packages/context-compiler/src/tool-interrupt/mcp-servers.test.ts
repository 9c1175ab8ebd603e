import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { createMemoryArtifactStore } from "@ccl/artifact-store";
import { afterEach, describe, expect, it, vi } from "vitest";
import { createSession } from "../session/create-session.ts";
import type { Session } from "../session/session.ts";
import { createToolInterruptHandler, mcpToolBridge, type ToolInterruptHandler } from "./index.ts";

const require = createRequire(import.meta.url);
const toClose: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const close of toClose.splice(0).reverse()) await close();
});

async function connect(
  transport: Parameters<Client["connect"]>[0],
): Promise<{ handler: ToolInterruptHandler; session: Session }> {
  const client = new Client({ name: "test", version: "1.0.0" });
  await client.connect(transport);
  toClose.push(() => client.close());
  const session = createSession({ artifactStore: createMemoryArtifactStore() });
  return {
    handler: createToolInterruptHandler({ session, bridge: mcpToolBridge(client) }),
    session,
  };
}

function startServer(name: string, args: string[]): StdioClientTransport {
  const script = require.resolve(`@modelcontextprotocol/${name}/dist/index.js`);
  return new StdioClientTransport({
    command: process.execPath,
    args: [script, ...args],
    stderr: "ignore",
  });
}

describe('the MCP server \\"everything\\" over stdio', () => {
  it("answers with text, images, structured values and resources", async () => {
    const { handler, session } = await connect(startServer("server-everything", ["stdio"]));
    const names = (await handler.tools()).map(({ name }) => name);
    expect(names).toEqual([...names].sort());
    expect(await handler.call("echo", { message: "hello" })).toMatchObject({
      kind: "tool_success",
      data: { content: expect.stringContaining("hello") },
    });
    const image = await handler.call("get-tiny-image", {});
    expect(JSON.stringify(image)).toContain('"mimeType":"image/png"');
    const structured = await handler.call("get-structured-content", { location: "New York" });
    expect(structured.kind).toBe("tool_success");
    const blob = await handler.call("get-resource-reference", {
      resourceType: "Blob",
      resourceId: 1,
    });
    expect(JSON.stringify(blob.data.content)).toContain("This is a base64 blob");
    expect(await handler.call("echo", {})).toMatchObject({ kind: "tool_error" });
    expect(session.messages().length).toBeGreaterThan(0);
  });

  it("is aborted when a call times out", async () => {
    const { handler, session } = await connect(startServer("server-everything", ["stdio"]));
    await handler.tools();
    const long = await handler.call(
      "trigger-long-running-operation",
      { duration: 30, steps: 3 },
      { timeoutMs: 200 },
    );
    expect(long.kind).toBe("tool_timeout");
    expect(await handler.call("echo", { message: "still there" })).toMatchObject({
      kind: "tool_success",
    });
    expect(session.eventLog.filter(["tool_timeout"])).toHaveLength(1);
  });
});

describe("the MCP file system server over stdio", () => {
  it("gets large files stored and their handle shown", async () => {
    const root = mkdtempSync(join(tmpdir(), "ccl-mcp-"));
    toClose.push(async () => rmSync(root, { recursive: true }));
    const file = join(root, "big.txt");
    writeFileSync(file, "a line of a file that is long\n".repeat(2_000));
    const { handler, session } = await connect(startServer("server-filesystem", [root]));
    const event = await handler.call("read_text_file", { path: file });
    expect(event.kind).toBe("tool_success");
    const stored = Array.from(session.eventLog).find((event) => event.kind === "artifact_stored");
    expect(stored?.data.sizeBytes).toBe(60_000);
    expect(await handler.call("read_text_file", { path: "/etc/passwd" })).toMatchObject({
      kind: "tool_error",
    });
  });
});

/** The server sets no host, and would listen on every interface. */
const onLoopback = `data:text/javascript,${encodeURIComponent(`
  import net from "node:net";
  const { listen } = net.Server.prototype;
  net.Server.prototype.listen = function (port, ...rest) {
    return listen.call(this, port, "127.0.0.1", ...rest);
  };
`)}`;

async function startHttpServer(): Promise<URL> {
  const probe = createServer().listen(0, "127.0.0.1");
  await once(probe, "listening");
  const address = probe.address();
  const port = String(typeof address === "object" ? address?.port : undefined);
  probe.close();
  await once(probe, "close");
  const script = require.resolve("@modelcontextprotocol/server-everything/dist/index.js");
  const server = spawn(process.execPath, ["--import", onLoopback, script, "streamableHttp"], {
    env: { ...process.env, PORT: port },
    stdio: ["ignore", "ignore", "pipe"],
  });
  toClose.push(async () => {
    server.kill("SIGKILL");
    await once(server, "exit");
  });
  let said = "";
  server.stderr.on("data", (chunk: Buffer) => (said += chunk.toString()));
  await vi.waitFor(() => expect(said).toMatch(/listening/i), { timeout: 20_000 });
  return new URL(`http://127.0.0.1:${port}/mcp`);
}

describe('the MCP server \\"everything\\" over streamable HTTP', () => {
  it("is called the same way", async () => {
    const url = await startHttpServer();
    const { handler } = await connect(new StreamableHTTPClientTransport(url));
    expect(await handler.call("echo", { message: "over HTTP" })).toMatchObject({
      kind: "tool_success",
      data: { content: expect.stringContaining("over HTTP") },
    });
  });
});
