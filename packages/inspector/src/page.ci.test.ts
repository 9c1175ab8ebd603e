import { existsSync } from "node:fs";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

import axe from "axe-core";
import { type Browser, chromium, type Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";

import { exampleSource } from "./__fixtures__/sources.ts";
import type { Inspector, ViewParameters } from "./index.ts";

const places = [process.env["CCL_CHROMIUM"], "/usr/bin/chromium", "/usr/bin/google-chrome"];
const executablePath = places.find((path) => path !== undefined && existsSync(path));
const hasPage = existsSync(new URL("../dist/page/page.html", import.meta.url));
if (executablePath === undefined || !hasPage)
  console.warn(
    "The page is not tried: Chromium is missing (CCL_CHROMIUM names it), or it is not built.",
  );

type Click = [role: "link" | "button" | "spinbutton" | "textbox" | "summary", name: string];
const session: Click = ["link", "onerror"];
const run: Click[] = [
  ["link", "Runs"],
  ["link", "run-1"],
];

/** The questions of the README, the clicks from the first page, and the text that answers them. */
const questions: [question: string, clicks: Click[], answer: RegExp][] = [
  ["What fills my window?", [session], /Tool results 819 \(100 %\)/],
  ["How full is the window?", [session], /Of a window of 1,000\s+0\.9 %/],
  [
    "What did the model see in call 17?",
    [session, ["summary", "All 20 prompts"], ["link", "17"]],
    /17 of 20/,
  ],
  [
    "What was cut, why, and where is it?",
    [session, ["button", "cut of 40"]],
    /costs more than.*ccl:\/\/artifact\/39.*Original/s,
  ],
  ["Which request failed?", [["link", "1 failed"]], /failed: 529/],
  ["Which operation was the slowest?", run, /Slowest operation\s+recall/],
  [
    "Which column drifted?",
    [
      ["link", "Catalog"],
      ["link", "What changed"],
    ],
    /columns\.total\.type/,
  ],
  [
    "What changed from prompt to prompt?",
    [session, ["spinbutton", "Compare"]],
    /at byte 7 of part 4.*removed/s,
  ],
  [
    "What would 8k have done?",
    [session, ["button", "8,000"]],
    /\$0\.03\d* instead of \$0\.20\d*.*would have missed\s+1/s,
  ],
  ["What did it cost?", [["link", "Gateway"]], /Saved\s+\$0\.20* \(50 %\)/],
  ["Why did a request pass unchanged?", [["link", "Gateway"]], /no gain/],
  [
    "Why is this file in the pack and that one not?",
    [["link", "Pack"]],
    /src\/stock.*left out: budget/s,
  ],
  [
    "What exactly would the model read?",
    [
      ["link", "Pack"],
      ["summary", "exact"],
    ],
    /export function/,
  ],
  ["Why was this operation skipped?", run, /judge.*that it needs failed.*lore: error/s],
  ["What did an operation add to the prompt?", [...run, ["link", "recall"]], /The hero limps/],
  [
    "What did an applied plan change?",
    [
      ["link", "Plans"],
      ["link", "onerror"],
    ],
    /\+const late = 2/,
  ],
  ["What would the pending change do?", [["link", "Plans"]], /\+const stock = 1/],
  [
    "What is in this table?",
    [
      ["link", "Catalog"],
      ["link", "orders"],
    ],
    /In cents/,
  ],
  [
    "Where does my query run?",
    [
      ["link", "Query"],
      ["textbox", "SELECT"],
      ["button", "explain"],
    ],
    /scan orders/,
  ],
];

/** Each page in each of its states, and a text of the hostile source that must appear first. */
const pages: [address: string, ready: string][] = [
  ["context", "onerror"],
  ["context?session=s&part=39", "Original"],
  ["context?session=s&with=1", "removed"],
  ["context?session=s&replay=8000", "instead of"],
  ["gateway", "onerror"],
  ["pack", "onerror"],
  ["runs", "run-1"],
  ["runs?id=run-1&operation=before_main_llm/recall", "inn"],
  ["catalog?id=t", "In cents"],
  ["catalog?show=health", "column removed"],
  ["catalog?show=changes", "removed"],
  ["query?sql=x", "onerror"],
  ["plans", "onerror"],
  ["plans?id=t", "const late = 2"],
];

describe.skipIf(executablePath === undefined || !hasPage)("the page in Chromium", () => {
  let browser: Browser;
  let served: Inspector;
  beforeAll(async () => {
    // The installed form: the built files.
    const built: typeof import("./index.ts") = await import(
      new URL("../dist/index.js", import.meta.url).href
    );
    served = await built.openInspector({ source: exampleSource });
    browser = await chromium.launch({
      executablePath: executablePath ?? "",
      args: ["--no-sandbox"],
    });
  }, 30_000);
  afterAll(async () => {
    await browser?.close();
    await served?.close();
  });

  it.each(["light", "dark"] as const)(
    "shows hostile text as text and passes axe on every page in %s",
    async (colorScheme) => {
      const page = await browser.newPage({ colorScheme });
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
      // The page's policy allows no foreign script, so the browser's developer tools inject axe.
      const tools = await page.context().newCDPSession(page);
      await page.goto(served.url);
      await tools.send("Runtime.evaluate", { expression: axe.source });
      for (const [address, ready] of pages) {
        await page.evaluate(`location.hash = ${JSON.stringify(`#/${address}`)}`);
        await page.locator("main", { hasText: ready }).waitFor();
        const found = await tools.send("Runtime.evaluate", {
          expression: "axe.run().then(({ violations }) => violations.map(({ id }) => id).join())",
          awaitPromise: true,
          returnByValue: true,
        });
        expect([address, found.result.value]).toEqual([address, ""]);
        expect(await page.locator("main img, main script").count()).toBe(0);
        expect(await page.locator("main").innerText()).not.toContain("\u202e");
      }
      expect(faults).toEqual([]);
      await page.close();
    },
    120_000,
  );

  it("works by keyboard, and loads a line of 10 MB in pieces", async () => {
    const page = await browser.newPage();
    page.setDefaultTimeout(30_000);
    await page.goto(`${served.url}#/context`);
    await page.getByRole("link", { name: "onerror" }).focus();
    await page.keyboard.press("Enter");
    await page.locator(".parts li").nth(39).waitFor({ state: "attached" });
    await page.locator(".treemap [tabindex='0']").focus();
    await page.keyboard.press("ArrowRight");
    await page.keyboard.press("Enter");
    const focused = "document.activeElement.className + document.activeElement.id";
    await expect.poll(() => page.evaluate(focused)).toBe("panel");
    await page.getByText("40,000 of 10,485,760 characters").first().waitFor();
    await page.keyboard.press("Escape");
    await page.locator(".panel").waitFor({ state: "detached" });
    expect(await page.evaluate(focused)).toMatch(/^part-\d+$/);
    expect(await page.locator(".lead").textContent()).toContain(String.raw`\u202egnp.exe`);
    await page.close();
  }, 120_000);

  it("shows thousands of parts, including the selected one, with a few thousand elements", async () => {
    const built: typeof import("./index.ts") = await import(
      new URL("../dist/index.js", import.meta.url).href
    );
    const long = {
      ...exampleSource,
      prompt: async (_: ViewParameters, options: { signal: AbortSignal }) => {
        const view = await exampleSource.prompt?.({}, options);
        if (view === undefined) throw new Error("no prompt");
        const parts = Array.from({ length: 3_000 }, (_, at) => {
          const [call, result] = view.parts.slice(-2);
          const part = at % 2 === 0 ? call : result;
          if (part === undefined) throw new Error("no part");
          return { ...part, at, tokens: 10 + (at % 50), preview: `what ${at} said` };
        });
        return { ...view, parts };
      },
    };
    const served = await built.openInspector({ source: long });
    onTestFinished(() => served.close());
    const page = await browser.newPage();
    page.setDefaultTimeout(30_000);
    const elements = (): Promise<number> =>
      page.evaluate("document.querySelectorAll('main *').length");
    await page.goto(`${served.url}#/context?session=s`);
    const rows = page.locator(".parts.list li");
    await expect.poll(() => rows.count()).toBe(150);
    expect(await elements()).toBeLessThan(5_000);
    await page.getByRole("button", { name: "Show later ones: 2,850" }).click();
    await expect.poll(() => rows.count()).toBe(300);
    await page.goto(`${served.url}#/context?session=s&part=2000`);
    await page.locator("#part-2000[aria-expanded='true']").waitFor();
    expect(await rows.count()).toBe(150);
    await page.getByRole("button", { name: "Show earlier ones: 1,925" }).click();
    await page.locator("#part-1850").waitFor();
    expect(await page.locator(".treemap button:disabled").count()).toBeGreaterThan(0);
    await page.close();
  }, 180_000);

  it("opens from disk without a server, and runs no script but its own", async () => {
    const built: typeof import("./index.ts") = await import(
      new URL("../dist/index.js", import.meta.url).href
    );
    const asked = { parameters: { session: "s", at: "7" }, signal: AbortSignal.timeout(30_000) };
    const { html, left } = await built.exportPage(exampleSource, asked);
    expect(left).toBe(0);
    const text = { text: "x".repeat(15_000_000), offset: 0, total: 15_000_000 };
    const large = await built.exportPage({ ...exampleSource, text: async () => text }, asked);
    expect(large.left).toBeGreaterThan(0);
    expect(large.html.length).toBeLessThan(40_000_000);
    const folder = await mkdtemp(join(tmpdir(), "ccl-page-"));
    onTestFinished(() => rm(folder, { recursive: true }));
    await writeFile(join(folder, "page.html"), html);
    const page = await browser.newPage();
    page.setDefaultTimeout(30_000);
    const requests: string[] = [];
    page.on("request", (request) => requests.push(request.url()));
    page.on("pageerror", ({ message }) => requests.push(message));
    const file = pathToFileURL(join(folder, "page.html")).href;
    const open = async (address: string, text: string): Promise<void> => {
      await page.goto(`${file}#/${address}`);
      await page.locator("main", { hasText: text }).first().waitFor();
    };
    await open("context", "1 failed");
    await page.getByRole("link", { name: "onerror" }).click();
    await page.locator("main", { hasText: "By origin" }).waitFor();
    await open("context?session=s&at=7&part=38", "characters");
    await open("gateway", "Saved");
    await open("runs?id=run-1", "that it needs failed");
    await open("runs?id=run-1&event=1", "event 1 of 6");
    await open("plans", "rolled back");
    await open("pack", "This is not in the file");
    const ran = await page.evaluate(`(() => {
      const script = document.createElement("script");
      script.textContent = "window.didRun = true";
      document.body.append(script);
      return window.didRun === true;
    })()`);
    expect([
      ran,
      requests.filter((one) => !one.startsWith(file) && !one.startsWith("data:")),
    ]).toEqual([false, []]);
    await page.close();
  }, 180_000);

  it("follows the session, handles five quick clicks, and keeps its data in an outage", async () => {
    let prompts = 20;
    const built: typeof import("./index.ts") = await import(
      new URL("../dist/index.js", import.meta.url).href
    );
    const growing = {
      ...exampleSource,
      prompt: async ({ at }: ViewParameters, options: { signal: AbortSignal }) => {
        const view = await exampleSource.prompt?.({ at: "1" }, options);
        if (view === undefined) throw new Error("no prompt");
        return {
          ...view,
          session: { ...view.session, prompts },
          prompt: { ...view.prompt, at: Number(at ?? prompts - 1) },
        };
      },
    };
    const live = await built.openInspector({ source: growing });
    const page = await browser.newPage();
    page.setDefaultTimeout(30_000);
    try {
      await page.goto(`${live.url}#/context?session=s`);
      const where = page.getByText(/^\d+ of \d+$/);
      const isAt = (text: string) => where.filter({ hasText: text }).waitFor();
      await isAt("20 of 20");
      prompts = 21;
      await isAt("21 of 21");
      // All clicks in one turn of the event loop, so that no answer arrives in between.
      await page.evaluate(`(() => {
        const find = () => [...document.querySelectorAll("button")].find((one) => one.textContent === "Previous");
        for (let click = 0; click < 5; click += 1) find().click();
      })()`);
      await isAt("16 of 21");
      // A viewer of an earlier prompt stays there.
      prompts = 22;
      await isAt("16 of 22");
      const { port } = new URL(live.url);
      await live.close();
      await page
        .getByRole("alert")
        .filter({ hasText: "The data shown is from before" })
        .first()
        .waitFor();
      expect(await where.textContent()).toBe("16 of 22");
      const again = await built.openInspector({ source: growing, port: Number(port) });
      prompts = 23;
      await isAt("16 of 23");
      expect(await page.getByRole("alert").count()).toBe(0);
      await page.close();
      await again.close();
    } finally {
      await live.close();
    }
  }, 180_000);

  it.each([390, 1024, 1440])(
    "answers each question in up to three clicks at a width of %i pixels",
    async (width) => {
      const readme = await readFile(new URL("../README.md", import.meta.url), "utf8");
      const page = await browser.newPage({ viewport: { width, height: 800 } });
      page.setDefaultTimeout(30_000);
      const seen = (): Promise<string> => page.locator("main").innerText();
      for (const [question, clicks, answer] of questions) {
        expect(readme).toContain(`| ${question} `);
        await page.goto(`${served.url}#/`);
        await page.getByRole("link", { name: "onerror" }).waitFor();
        expect(await seen()).not.toMatch(answer);
        let count = 0;
        for (const click of clicks) count += await doClick(page, click);
        expect({ question, isShort: count <= 3 }).toEqual({ question, isShort: true });
        await expect.poll(seen, { timeout: 10_000, message: question }).toMatch(answer);
        const widest = "document.documentElement.scrollWidth";
        expect([question, await page.evaluate(widest)]).toEqual([question, width]);
      }
      await page.close();
    },
    180_000,
  );
});

/**
 * Performs a click and returns how often the mouse was needed. Typing into a field needs one click.
 */
async function doClick(page: Page, [role, name]: Click): Promise<number> {
  if (role === "summary") await page.locator("summary", { hasText: name }).click();
  else if (role === "spinbutton") {
    await page.getByRole(role, { name }).fill("1");
    await page.keyboard.press("Enter");
  } else if (role === "textbox")
    await page.getByRole(role, { name }).fill("SELECT total FROM orders");
  else await page.getByRole(role, { name }).first().click();
  return 1;
}
