import fs from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";

const root = path.resolve(import.meta.dirname, "../..");

/** A headless Chromium, or `undefined` if there is none. `CCL_CHROMIUM` names it if it is not in its usual place. */
export async function openChromium() {
  const places = [process.env.CCL_CHROMIUM, "/usr/bin/chromium", "/usr/bin/google-chrome"];
  const executablePath = places.find((file) => file && fs.existsSync(file));
  if (executablePath === undefined) return undefined;
  // The inspector's package installs the driver.
  const require = createRequire(path.join(root, "packages/inspector/package.json"));
  return require("playwright-core").chromium.launch({ executablePath, args: ["--no-sandbox"] });
}
