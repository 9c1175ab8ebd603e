import { existsSync } from "node:fs";
import { request } from "node:http";

import axe from "axe-core";
import { type Browser, chromium } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { type Inspector, InspectorError, openInspector, type InspectorSource } from "./index.ts";

const hostile = "<img src=x onerror=alert(1)><script>alert(2)</script>\u202egnp.exe";
const line = "A".repeat(10 * 2 ** 20);
const session = { id: "s", source: "gateway", title: hostile, prompts: 2, tokens: 9 };
const prompt = { at: 0, cached: 4, fresh: 5, directTokens: 12, usd: 0.1, directUsd: 0.2 };
const rows = Array.from({ length: 300 }, (_, at) => ({
  at,
  origin: at === 0 ? ("user" as const) : ("result" as const),
  tool: hostile,
  tokens: at + 1,
  directTokens: at + 1,
  isCached: at < 200,
  form: at === 299 ? "cut" : undefined,
  preview: hostile,
  length: line.length,
}));
const source: InspectorSource = {
  overview: async () => ({
    project: hostile,
    root: "/p",
    missing: [{ page: "runs", why: hostile }],
  }),
  sessions: async () => ({ sessions: [session], left: 0 }),
  session: async () => ({ session, prompts: [prompt, { ...prompt, at: 1 }] }),
  prompt: async () => ({ session, prompt, prompts: 2, hasTexts: true, parts: rows }),
  text: async ({ offset = "0" }) => {
    const from = Number(offset);
    return { text: line.slice(from, from + 40_000), offset: from, total: line.length };
  },
  gateway: async () => {
    throw new Error("the secret of a store");
  },
  plans: async () => {
    throw new InspectorError("invalid_options", "A message for people.");
  },
};

let inspector: Inspector;
beforeAll(async () => {
  inspector = await openInspector({ source });
});
afterAll(() => inspector.close());

/** The status and the body of a request with these headers, which `fetch` would not send. */
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
  it("refuses other hosts, other origins and whatever is no GET", async () => {
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

  it("says what failed where that is for people, and nothing else", async () => {
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

const places = [process.env["CCL_CHROMIUM"], "/usr/bin/chromium", "/usr/bin/google-chrome"];
const executablePath = places.find((path) => path !== undefined && existsSync(path));
const hasPage = existsSync(new URL("../dist/page/page.js", import.meta.url));
if (executablePath === undefined || !hasPage)
  console.warn(
    "The page is not tried: Chromium is missing (CCL_CHROMIUM names it), or it is not built.",
  );

describe.skipIf(executablePath === undefined || !hasPage)("the page in Chromium", () => {
  let browser: Browser;
  let served: Inspector;
  beforeAll(async () => {
    // As it is installed: from the files that were built.
    const built: typeof import("./index.ts") = await import(
      new URL("../dist/index.js", import.meta.url).href
    );
    served = await built.openInspector({ source });
    browser = await chromium.launch({
      executablePath: executablePath ?? "",
      args: ["--no-sandbox"],
    });
  }, 30_000);
  afterAll(async () => {
    await browser?.close();
    await served?.close();
  });

  it("shows hostile text as text, has no fault that axe knows, and is used by keyboard", async () => {
    const page = await browser.newPage({ colorScheme: "dark" });
    page.setDefaultTimeout(30_000);
    const faults: string[] = [];
    page.on("dialog", (dialog) => {
      faults.push("a script ran");
      void dialog.dismiss();
    });
    page.on("pageerror", ({ message }) => faults.push(message));
    page.on("request", (asked) => {
      if (!asked.url().startsWith(served.url) && !asked.url().startsWith("data:"))
        faults.push(asked.url());
    });
    await page.goto(`${served.url}#/context`);
    await page.getByRole("link", { name: "onerror" }).focus();
    await page.keyboard.press("Enter");
    await page.locator(".parts li").nth(299).waitFor({ state: "attached" });
    await page.locator(".treemap [tabindex='0']").focus();
    await page.keyboard.press("ArrowRight");
    await page.keyboard.press("Enter");
    await page.getByText("40,000 of 10,485,760 characters").first().waitFor();
    expect(await page.locator(".lead").textContent()).toContain(String.raw`\u202egnp.exe`);
    expect(await page.locator("main img, main script").count()).toBe(0);
    // The policy of the page allows no script of ours, so it comes from the tools of the browser.
    const tools = await page.context().newCDPSession(page);
    await tools.send("Runtime.evaluate", { expression: axe.source });
    const found = await tools.send("Runtime.evaluate", {
      expression: "axe.run().then(({ violations }) => violations.map(({ id }) => id).join())",
      awaitPromise: true,
      returnByValue: true,
    });
    expect(found.result.value).toBe("");
    expect(faults).toEqual([]);
    await page.close();
  }, 120_000);
});
