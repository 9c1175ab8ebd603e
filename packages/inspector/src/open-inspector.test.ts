import { request } from "node:http";

import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { hostileSource as source } from "./__fixtures__/sources.ts";
import { type Inspector, openInspector, readView } from "./index.ts";

let inspector: Inspector;
beforeAll(async () => {
  inspector = await openInspector({ source });
});
afterAll(() => inspector.close());

/** Sends a request with headers that `fetch` would not send, and returns its status and body. */
function ask(
  path: string,
  { method = "GET", headers = {} }: { method?: string; headers?: Record<string, string> } = {},
): Promise<{ status: number | undefined; body: string; csp: unknown }> {
  return new Promise((resolve, reject) => {
    const sent = request(new URL(path, inspector.url), { method, headers }, (answer) => {
      let body = "";
      answer.setEncoding("utf8");
      answer.on("data", (piece: string) => (body += piece));
      answer.on("end", () =>
        resolve({
          status: answer.statusCode,
          body,
          csp: answer.headers["content-security-policy"],
        }),
      );
    });
    sent.on("error", reject).end();
  });
}

describe("openInspector", () => {
  it("rejects other hosts, other origins and all methods except GET", async () => {
    const path = "/api/sessions";
    const statusOf = async (options: Parameters<typeof ask>[1]): Promise<unknown> =>
      (await ask(path, options)).status;
    expect(await statusOf({})).toBe(200);
    expect(await statusOf({ headers: { host: "evil.example" } })).toBe(403);
    expect(await statusOf({ headers: { host: "127.0.0.1.evil.example" } })).toBe(403);
    expect(await statusOf({ headers: { origin: "https://evil.example" } })).toBe(403);
    expect(await statusOf({ headers: { "sec-fetch-site": "cross-site" } })).toBe(403);
    for (const method of ["POST", "PUT", "DELETE", "OPTIONS"])
      expect(await statusOf({ method })).toBe(405);
  });

  it("sends a view again only if it changed", async () => {
    const view = new URL("/api/sessions", inspector.url);
    const first = await fetch(view);
    const tag = first.headers.get("etag") ?? "";
    const statusOf = async (known: string): Promise<number> =>
      (await fetch(view, { headers: { "if-none-match": known } })).status;
    expect([await statusOf(tag), await statusOf('"another"')]).toEqual([304, 200]);
  });

  it("shows an error's message only if it is meant for people", async () => {
    expect(await ask("/api/plans")).toMatchObject({
      status: 422,
      body: expect.stringContaining("for people"),
    });
    const failed = await ask("/api/gateway");
    expect(failed.status).toBe(500);
    expect(failed.body).not.toContain("secret");
    expect((await ask("/api/constructor")).status).toBe(404);
    expect((await ask("/../package.json")).status).toBe(404);
    expect(String(failed.csp)).toContain("default-src 'none'");
  });
});

it("has an error code for each failure", async () => {
  const port = Number(new URL(inspector.url).port);
  await expect(openInspector({ source, port })).rejects.toMatchObject({ code: "listen_failed" });
  const asked = { parameters: {}, signal: AbortSignal.timeout(10_000) };
  await expect(
    Reflect.apply(readView, undefined, [source, "nothing", asked]),
  ).rejects.toMatchObject({ code: "unknown_view" });
});
