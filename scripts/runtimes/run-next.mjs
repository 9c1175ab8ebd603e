import { spawn } from "node:child_process";
import path from "node:path";

import { runCommand } from "../packages/run-command.mjs";
import { installTarballs } from "./install-tarballs.mjs";

/** Builds a Next application whose only route uses the root of every package, and returns the route's answer. */
export async function runNext(folder, workspace) {
  const names = workspace.packages
    .filter(({ entries }) => entries.some(({ subpath }) => subpath === "."))
    .map(({ name }) => name);
  const app = installTarballs(folder, workspace, {
    files: appFiles(names),
    dependencies: { next: "16", react: "19", "react-dom": "19" },
  });
  const next = path.join(app, "node_modules/next/dist/bin/next");
  const options = { cwd: app, env: { ...process.env, NEXT_TELEMETRY_DISABLED: "1" } };
  runCommand([process.execPath, next, "build"], options);
  const start = [next, "start", "--hostname", "127.0.0.1", "--port", "0"];
  const answer = await askServer(start, options);
  if (answer !== `${names.length} packages`) throw new Error(`the route answered ${answer}`);
  return `${names.length} packages answer from a route`;
}

function appFiles(names) {
  const imports = names.map((name, at) => `import * as p${at} from ${JSON.stringify(name)};`);
  const loaded = `[${names.map((_, at) => `p${at}`).join()}].filter((entry) => Object.keys(entry).length > 0)`;
  return {
    // As in the README of @ccl/aliases.
    "next.config.mjs": `export default { serverExternalPackages: ["@ccl/aliases"] };\n`,
    "app/layout.jsx": `export default ({ children }) => <html lang="en"><body>{children}</body></html>;\n`,
    "app/page.jsx": `export default () => <p>An application</p>;\n`,
    "app/answer/route.js": `${imports.join("\n")}
export const dynamic = "force-dynamic";
export function GET() {
  return new Response(${loaded}.length + " packages");
}
`,
  };
}

/** Starts the server, sends one request, and ends it. */
async function askServer(args, options) {
  const server = spawn(process.execPath, args, {
    ...options,
    stdio: ["ignore", "pipe", "inherit"],
  });
  try {
    let printed = "";
    for await (const chunk of server.stdout) {
      printed += chunk;
      const address = /http:\/\/127\.0\.0\.1:\d+/.exec(printed)?.[0];
      if (address === undefined || !printed.includes("Ready")) continue;
      const response = await fetch(`${address}/answer`);
      return await response.text();
    }
    throw new Error(`the server ended: ${printed}`);
  } finally {
    server.kill();
  }
}
