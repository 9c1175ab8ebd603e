import { spawnSync } from "node:child_process";
import { connect } from "node:net";
import { fileURLToPath } from "node:url";

import { describe, expect, it } from "vitest";

import { startTestServer, type TestDialect } from "./index.ts";

const post = (
  url: string,
  body: unknown,
  headers: Record<string, string> = {},
): Promise<Response> => fetch(url, { method: "POST", body: JSON.stringify(body), headers });
const call = { model: "m", messages: [], max_tokens: 1, stream: false };

/** True when somebody takes a connection there; it is given up at once. */
function isOpen(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1", () => {
      socket.destroy();
      resolve(true);
    });
    socket.once("error", () => resolve(false));
  });
}

describe("the test server", () => {
  it("closes by itself when nobody calls, and closes once only", async () => {
    const server = await startTestServer({ idleMs: 20 });
    const { port } = new URL(server.baseUrl("openai"));
    await expect.poll(() => isOpen(Number(port)), { timeout: 20_000 }).toBe(false);
    await server.close();
    expect(await isOpen(Number(port))).toBe(false);
  });

  it("keeps no process alive that forgot it", () => {
    const entry = JSON.stringify(
      fileURLToPath(new URL("../../dist/testing/index.js", import.meta.url)),
    );
    const program = `import { startTestServer } from ${entry}; await startTestServer(); console.log("up");`;
    const run = spawnSync(process.execPath, ["--input-type=module", "-e", program], {
      timeout: 30_000,
    });
    expect([run.status, String(run.stdout).trim()]).toEqual([0, "up"]);
  });

  it.each<[TestDialect, string, object, number]>([
    ["openai", "/chat/completions", call, 500],
    ["openai", "/nothing", call, 404],
    ["openai", "/chat/completions", { messages: [] }, 400],
    ["anthropic", "/v1/messages", call, 400],
    ["ollama", "/v1/chat/completions", { model: "m" }, 400],
    ["gemini", "/v1beta/models/m:generateContent", {}, 400],
    ["lm-studio", "/chat/completions", { ...call, response_format: { type: "json_object" } }, 400],
  ])("as %s answers %s with %j by %i, without a script", async (dialect, path, body, status) => {
    const server = await startTestServer();
    const response = await post(`${server.baseUrl(dialect)}${path}`, body);
    expect(response.status).toBe(status);
    await response.text();
    await server.close();
  });
});
