import fs from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";

import { neutralEntries } from "../neutral/neutral-entries.mjs";
import { installTarballs } from "./install-tarballs.mjs";
import { openChromium } from "./open-chromium.mjs";

const programs = path.join(import.meta.dirname, "../neutral/neutral-programs.mjs");

/** Bundles a page that runs the neutral entries of the packed packages, and opens it in Chromium. */
export async function runVite(folder, workspace) {
  const entries = neutralEntries(workspace).filter(({ name }) => !name.endsWith("/conformance"));
  const names = entries.map(({ name }) => name);
  const app = installTarballs(folder, workspace, { files: pageFiles(names), dependencies: {} });
  const external = [...new Set(entries.flatMap((entry) => entry.external))].filter(
    (name) => !fs.existsSync(path.join(app, "node_modules", name)),
  );
  const url = pathToFileURL(path.join(folder, "node_modules/vite/dist/node/index.js")).href;
  const { build, preview } = await import(url);
  const options = { root: app, configFile: false, logLevel: "error" };
  await build({ ...options, build: { rolldownOptions: { external } } });
  const title = await openedTitle(() =>
    preview({ ...options, preview: { host: "127.0.0.1", port: 0 } }),
  );
  if (title === undefined) return `${names.length} entries bundled; no Chromium to open them in`;
  if (title !== `${names.length} entries`) throw new Error(title);
  return `${names.length} entries run in a page`;
}

function pageFiles(names) {
  const imports = names.map((name, at) => `import * as e${at} from ${JSON.stringify(name)};`);
  const runs = names.map((name, at) => `  await programs[${JSON.stringify(name)}]?.(e${at});`);
  const loaded = `[${names.map((_, at) => `e${at}`).join()}].filter((entry) => Object.keys(entry).length > 0)`;
  return {
    "index.html": `<!doctype html>\n<title>loading</title>\n<script type="module" src="page.js"></script>\n`,
    "programs.js": fs.readFileSync(programs, "utf8"),
    "page.js": `import { programs } from "./programs.js";
${imports.join("\n")}
try {
${runs.join("\n")}
  document.title = ${loaded}.length + " entries";
} catch (error) {
  document.title = String(error);
}
`,
  };
}

/** The title that the page sets, or its error. `undefined` without Chromium. */
async function openedTitle(serve) {
  const browser = await openChromium();
  if (browser === undefined) return undefined;
  const server = await serve();
  try {
    const page = await browser.newPage();
    const faults = [];
    page.on("pageerror", (error) => faults.push(String(error)));
    await page.goto(`http://127.0.0.1:${server.httpServer.address().port}`);
    await page
      .waitForFunction(() => document.title !== "loading", undefined, { timeout: 60_000 })
      .catch((error) => faults.push(String(error)));
    return faults[0] ?? (await page.title());
  } finally {
    await browser.close();
    await server.close();
  }
}
