import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { lstat, mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import { sha256Hex } from "@ccl/core";
import axe from "axe-core";
import { type Browser, chromium, type Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import type { CatalogProject } from "./__fixtures__/catalog-project.ts";
import { createInspectedProject } from "./__fixtures__/inspected-project.ts";
import { listeningAddress } from "./__fixtures__/listening-address.ts";
import { isAtLeast } from "../../../scripts/lengths/test-length.mjs";

// Figures: CCL_TEST_LENGTH=faults pnpm vitest run packages/cli/src/ui-command.test.ts
const isAtLength = isAtLeast("faults");
const program = fileURLToPath(new URL("../dist/ccl.js", import.meta.url));
const places = [process.env["CCL_CHROMIUM"], "/usr/bin/chromium", "/usr/bin/google-chrome"];
const executablePath = places.find((path) => path !== undefined && existsSync(path));
const sizes = { resources: 10_000, requests: 300, operations: 50 };

const statement =
  "SELECT symbol, max(price) AS top, min(price) AS low FROM stocks GROUP BY symbol ORDER BY top DESC";

/** Each page in each of its states, and what has to be there before it is looked at. */
const views: [name: string, address: string, ready: string][] = [
  ["sessions", "context", "Why does checkout fail"],
  ["context", "context?session=LONG&part=8", "characters"],
  ["dump", "context?session=SHORT&part=2", "characters"],
  ["compared", "context?session=LONG&at=40&with=41", "the same"],
  ["gateway", "gateway", "Saved"],
  ["pack", "pack?task=refund+an+invoice", "The exact text"],
  ["runs", "runs", "chat-1"],
  ["run", "runs?id=RUN&operation=before_main_llm/hostile", "State of the chat"],
  ["replay", "runs?id=RUN&event=40", "Back to now"],
  ["catalog", "catalog?text=refund&id=res:refunds_invoice_4", "amount"],
  ["health", "catalog?show=health&run=1", "Wrong"],
  ["changes", "catalog?show=changes", "column added"],
  ["query", `query?sql=${encodeURIComponent(statement)}`, "rows in"],
  ["plans", "plans", "failed (exit code 1)"],
];

describe.skipIf(!isAtLength || executablePath === undefined)(
  "ccl ui over a project of real size",
  () => {
    let project: CatalogProject & { state: string };
    let browser: Browser;
    let served: ChildProcess;
    let url: string;
    let logs: string | undefined;
    let before: Record<string, string>;
    const faults: string[] = [];

    beforeAll(async () => {
      project = await createInspectedProject(sizes);
      const home = await mkdtemp(join(tmpdir(), "ccl-logs-"));
      logs = home;
      before = await stampsOf(project.root);
      served = spawn(
        process.execPath,
        [program, "ui", "--state", project.state, "--agents", home],
        {
          cwd: project.root,
          env: { PATH: process.env["PATH"], HOME: home, XDG_STATE_HOME: home },
          stdio: ["ignore", "ignore", "pipe"],
        },
      );
      url = await listeningAddress(served);
      browser = await chromium.launch({
        executablePath: executablePath ?? "",
        args: ["--no-sandbox"],
      });
    }, 600_000);
    afterAll(async () => {
      await browser?.close();
      if (served?.exitCode === null) {
        served.kill("SIGINT");
        await once(served, "exit");
      }
      await project?.remove();
      if (logs !== undefined) await rm(logs, { recursive: true, force: true });
    });

    const open = async (colorScheme: "light" | "dark"): Promise<Page> => {
      const page = await browser.newPage({ colorScheme, viewport: { width: 1280, height: 860 } });
      page.setDefaultTimeout(120_000);
      page.on("dialog", (dialog) => {
        faults.push("a script ran");
        void dialog.dismiss();
      });
      page.on("pageerror", ({ message }) => faults.push(message));
      page.on("request", (asked) => {
        if (!asked.url().startsWith(url) && !asked.url().startsWith("data:"))
          faults.push(asked.url());
      });
      return page;
    };

    it("has no fault that axe knows on any page, in light and dark, and shows hostile texts as texts", async () => {
      const read = async (view: string) =>
        JSON.parse(await (await fetch(`${url}api/${view}`)).text());
      const { sessions } = await read("sessions");
      const idOf = (prompts: number): string =>
        sessions.find((one: { prompts: number }) => one.prompts === prompts).id;
      const ids: Record<string, string> = {
        LONG: idOf(sizes.requests),
        SHORT: idOf(1),
        RUN: (await read("runs")).runs[0].id,
      };
      const found: Record<string, unknown> = {};
      for (const scheme of ["light", "dark"] as const) {
        const page = await open(scheme);
        // The policy of the page allows no script of ours, so it comes from the tools of the browser.
        const tools = await page.context().newCDPSession(page);
        for (const [name, address, ready] of views) {
          await page.goto("about:blank");
          const startedMs = performance.now();
          await page.goto(
            `${url}#/${address.replace(/LONG|SHORT|RUN/, (name) => ids[name] ?? "")}`,
          );
          await page.locator("main", { hasText: ready }).waitFor();
          const shownMs = Math.round(performance.now() - startedMs);
          const paintMs = await page.evaluate(
            () => performance.getEntriesByName("first-contentful-paint")[0]?.startTime ?? 0,
          );
          await tools.send("Runtime.evaluate", { expression: axe.source });
          const answer = await tools.send("Runtime.evaluate", {
            expression:
              "axe.run().then(({ violations }) => violations.map(({ id, nodes }) => `${id}: ${nodes[0].html.slice(0, 200)}`).join())",
            awaitPromise: true,
            returnByValue: true,
          });
          if (answer.result.value !== "") found[`${name} ${scheme}`] = answer.result.value;
          expect(await page.locator("main img, main script").count()).toBe(0);
          expect(await page.locator("main").innerText()).not.toContain("\u202e");
          console.info(
            `${scheme} ${name}: first paint ${Math.round(paintMs)} ms, all there ${shownMs} ms`,
          );
        }
        await page.close();
      }
      expect(found).toEqual({});
      expect(faults).toEqual([]);
    }, 600_000);

    it("is used by keyboard alone", async () => {
      const page = await open("light");
      await page.goto(`${url}#/`);
      await page.locator("main", { hasText: "Why does checkout fail" }).waitFor();
      const enter = async (name: string): Promise<void> => {
        await tabTo(page, name);
        await page.keyboard.press("Enter");
      };
      await enter("Why does checkout fail");
      await page.locator(".treemap").waitFor();
      await tabTo(page, ".treemap");
      await page.keyboard.press("ArrowRight");
      await page.keyboard.press("Enter");
      await page.getByText("characters").first().waitFor();
      await enter("Runs");
      await page.getByText("chat-1").first().waitFor();
      await tabTo(page, "runs?id=");
      await page.keyboard.press("Enter");
      await page.getByText("State of the chat").waitFor();
      await enter("aftermath");
      await page.getByText("It gave nothing").waitFor();
      await enter("Catalog");
      await page.getByText("shown of").waitFor();
      await tabTo(page, "search");
      await page.keyboard.type("companies");
      await page.getByText("companies", { exact: false }).first().waitFor();
      await enter("Query");
      await tabTo(page, "textarea");
      await page.keyboard.type(statement);
      await page.keyboard.press("Tab");
      await page.keyboard.press("Enter");
      await page.getByText("rows in").waitFor();
      expect(faults).toEqual([]);
      await page.close();
    }, 300_000);

    it("scrolls 1,000 rows without a long pause", async () => {
      const page = await open("light");
      const sql = "SELECT a.symbol, a.date, a.price FROM stocks a, companies LIMIT 1000";
      await page.goto(`${url}#/query?sql=${encodeURIComponent(sql)}`);
      await page.getByText("1,000 rows in").waitFor();
      const frames = await page.evaluate<number[]>(`(async () => {
        const place = document.querySelector(".rows");
        const gaps = [];
        let last = await new Promise(requestAnimationFrame);
        for (let at = 0; at < 120; at += 1) {
          place.scrollTop += 300;
          const now = await new Promise(requestAnimationFrame);
          gaps.push(now - last);
          last = now;
        }
        return gaps.sort((a, b) => a - b);
      })()`);
      console.info(
        `frames: median ${frames[60]?.toFixed(1)} ms, worst ${frames.at(-1)?.toFixed(1)} ms`,
      );
      expect(frames).toHaveLength(120);
      await page.close();
    }, 120_000);

    it("has changed no byte and no time in any store that it read", async () => {
      expect(await stampsOf(project.root)).toEqual(before);
      expect(await readdir(logs ?? "")).toEqual([]);
      // The same look finds what a command that writes does.
      await project.ccl(["plan", "recover"]);
      await project.ccl(["catalog", "search", "invoice"]);
      expect(await stampsOf(project.root)).not.toEqual(before);
    }, 120_000);
  },
);

/** Size, time and hash of all files below a folder, and the times of its folders, by path. */
async function stampsOf(root: string): Promise<Record<string, string>> {
  const stamps: Record<string, string> = {};
  for (const entry of await readdir(root, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    const { mtimeMs, ctimeMs, size } = await lstat(path);
    const hash = entry.isFile() ? sha256Hex(await readFile(path)) : "";
    stamps[path.slice(root.length)] = `${mtimeMs} ${ctimeMs} ${entry.isFile() ? size : ""} ${hash}`;
  }
  return stamps;
}

/** Presses Tab until the element in focus says so, or is of that kind. */
async function tabTo(page: Page, wanted: string): Promise<void> {
  for (let at = 0; at < 400; at += 1) {
    await page.keyboard.press("Tab");
    const isThere = await page.evaluate<boolean>(`((name) => {
      const element = document.activeElement;
      const isControl = ["a", "button", "summary"].includes(element.localName);
      const names = [
        isControl ? element.textContent : "",
        element.getAttribute("href") ?? "",
        element.getAttribute("type") ?? "",
        element.localName,
      ];
      const isNamed = names.some((one) => one.includes(name));
      return isNamed || (name.startsWith(".") && element.closest(name) !== null);
    })(${JSON.stringify(wanted)})`);
    if (isThere) return;
  }
  throw new Error(`Tab never came to ${wanted}.`);
}
