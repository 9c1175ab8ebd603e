// Opens pages of the built site in Chromium, light and dark, and checks them with axe. Without Chromium it says so.
import fs from "node:fs";
import { createRequire } from "node:module";
import { createServer } from "node:http";
import path from "node:path";

import { openChromium } from "../runtimes/open-chromium.mjs";

const root = path.resolve(import.meta.dirname, "../..");
const site = path.join(root, "docs/.vitepress/dist");
const pages = ["/", "/tutorials/chat-that-keeps-its-task", "/explain/budgets-and-caches"];
pages.push("/compare", "/reference/errors", "/packages/gateway");
const browser = await openChromium();
if (browser === undefined) {
  console.log("axe: skipped, Chromium is missing (CCL_CHROMIUM names it)");
  process.exit();
}

// Checks the page of the inspector in the same way.
const axe = createRequire(path.join(root, "packages/inspector/package.json"))("axe-core");
const server = createServer(serve);
await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
const faults = [];
for (const colorScheme of ["light", "dark"]) {
  const page = await browser.newPage({ colorScheme });
  for (const address of pages) faults.push(...(await faultsOf(page, address)));
  // The control: an image without a text alternative must fail.
  await page.evaluate(() => document.body.append(document.createElement("img")));
  if (!(await lookAt(page)).some((fault) => fault.startsWith("image-alt")))
    throw new Error("axe does not see a planted fault");
  await page.close();
}
await browser.close();
server.close();
console.log(`axe: ${pages.length} pages, light and dark: ${faults.length} faults`);
for (const fault of faults) console.error(fault);
process.exitCode = faults.length === 0 ? 0 : 1;

async function faultsOf(page, address) {
  await page.goto(`http://127.0.0.1:${server.address().port}${address}`, {
    waitUntil: "networkidle",
  });
  await page.evaluate(axe.source);
  return (await lookAt(page)).map((fault) => `${address}: ${fault}`);
}

function lookAt(page) {
  return page.evaluate(() =>
    globalThis.axe
      .run()
      .then(({ violations }) =>
        violations.map(
          ({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 200)).join(" ")}`,
        ),
      ),
  );
}

function serve(request, response) {
  const types = {
    ".html": "text/html",
    ".js": "text/javascript",
    ".css": "text/css",
    ".svg": "image/svg+xml",
  };
  const name = path.join(site, decodeURIComponent(new URL(request.url, "http://site").pathname));
  const file = [name, `${name}.html`, path.join(name, "index.html")].find((each) =>
    fs.statSync(each, { throwIfNoEntry: false })?.isFile(),
  );
  if (file === undefined) return response.writeHead(404).end();
  response.setHeader("content-type", types[path.extname(file)] ?? "application/octet-stream");
  fs.createReadStream(file).pipe(response);
}
