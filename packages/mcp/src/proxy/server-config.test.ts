import { expect, it } from "vitest";

import { readMcpServers } from "./server-config.ts";

it.each([
  [{}, /^there is no object "mcpServers" \(or "servers"\)$/],
  [{ mcpServers: { files: "npx files" } }, /^files: /],
  [{ mcpServers: { files: null } }, /^files: /],
  [{ mcpServers: { files: { command: "" } } }, /files/],
  [{ mcpServers: { docs: { url: "ftp://docs.example" } } }, /docs/],
  [{ servers: { shop: { command: "shop", env: { KEY: "${SHOP_KEY}" } } } }, /SHOP_KEY is not set/],
])("says what is wrong in %j", (document, message) => {
  const read = readMcpServers(document);
  expect(read).toMatchObject({ ok: false, issues: [{ code: "config_invalid" }] });
  expect(read.ok ? "" : read.issues[0]?.message).toMatch(message);
});

it("fills in the environment, and leaves out what is disabled", () => {
  const off = { command: "off", disabled: true };
  const shop = { command: "shop", env: { KEY: "${env:SHOP_KEY}", MODE: "${MODE:-test}" } };
  expect(readMcpServers({ mcpServers: { off, shop } }, { SHOP_KEY: "k" })).toEqual({
    ok: true,
    value: { shop: { command: "shop", env: { KEY: "k", MODE: "test" } } },
  });
});

it("reads a file that nests deeply, and refuses one that does so where a text should stand", () => {
  const deep: unknown = JSON.parse(`${'{"a":'.repeat(20_000)}"x"${"}".repeat(20_000)}`);
  const shop = { command: "shop", env: { KEY: "k" } };
  expect(readMcpServers({ mcpServers: { shop: { ...shop, note: deep } } })).toEqual({
    ok: true,
    value: { shop },
  });
  expect(readMcpServers({ mcpServers: { shop: { ...shop, env: deep } } })).toMatchObject({
    ok: false,
    issues: [{ code: "config_invalid", path: ["shop", "env", "a"] }],
  });
});
