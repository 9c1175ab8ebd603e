import {
  chmod,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rm,
  stat,
  symlink,
  writeFile,
} from "node:fs/promises";
import { once } from "node:events";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

import fc from "fast-check";
import { beforeEach, expect, it, onTestFinished } from "vitest";

import { runCcl } from "./__fixtures__/run-ccl.ts";
import { emptyPaths, withoutValue, withValue } from "./settings/json-text.ts";

let home: string;
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), "ccl-on-"));
  onTestFinished(() => rm(home, { recursive: true }));
});

const ccl = (...args: string[]) => runCcl(args, { cwd: home });
const read = (path: string) => readFile(join(home, path), "utf8").catch(() => undefined);

async function write(path: string, text: string): Promise<void> {
  await mkdir(dirname(join(home, path)), { recursive: true });
  await writeFile(join(home, path), text);
}

const files = {
  claude: ".claude/settings.json",
  codex: ".codex/AGENTS.md",
  opencode: ".config/opencode/plugins/ccl-shrink.js",
  cursor: ".cursor/mcp.json",
} as const;

const json = {
  "usual settings":
    '{\n  "theme": "dark",\n  "mcpServers": {\n    "mine": { "command": "x" }\n  }\n}\n',
  "comments and a comma at the end": '{\n  // colours\n  "theme": "dark", /* so */\n}\n',
  "odd formatting": '{"theme":"dark",   "list":[1,\t2 ]\n,"n":1.0e2, "a\\u0062":"\\/"}',
  "tabs and CRLF": '{\r\n\t"theme": "dark"\r\n}\r\n',
  "a byte order mark": '\uFEFF{\n    "theme": "dark"\n}\n',
  "empty servers and hooks of the user":
    '{\n  "mcpServers": {},\n  "hooks": { "PostToolUse": [] }\n}\n',
  "empty servers with a comment": '{\n  "mcpServers": { // none yet\n  },\n  "hooks": {\n  }\n}\n',
  "hooks of the user":
    '{"hooks":{"PostToolUse":[{"matcher":"Edit","hooks":[{"type":"command","command":"fmt"}]}]},"mcpServers":{"a":{}}}',
  "an empty object": "{}",
  "an object of empty lines": "{\n\n}\n",
  "an empty file": "",
  "an empty line": "\n",
};

const texts = {
  "a line without an end": "# Mine",
  lines: "# Mine\n\nUse tabs.\n\n\n",
  "lines of Windows": "# Mine\r\n\r\nUse tabs.\r\n",
  "an empty file": "",
  "an empty line": "\n",
};

const cases = [
  ...Object.entries(json).flatMap(([name, text]) => [
    { client: "claude", name, text },
    { client: "cursor", name, text },
  ]),
  ...Object.entries(texts).map(([name, text]) => ({ client: "codex", name, text })),
  ...Object.keys(files).map((client) => ({ client, name: "no file", text: undefined })),
];

it.each(cases)("$client: leaves $name byte for byte as before", async ({ client, text }) => {
  const path = files[client as keyof typeof files];
  if (text !== undefined) await write(path, text);
  await mkdir(join(home, ".local/state"), { recursive: true });
  const tree = await readdir(home, { recursive: true });
  expect((await ccl("on", client)).code).not.toBe(0);
  expect(await read(path)).toBe(text);
  const shown = await ccl("on", client, "--yes");
  expect(shown).toMatchObject({ code: 0 });
  expect(shown.stdout).toContain("@ccl/cli");
  const written = await read(path);
  expect(written).toContain("@ccl/cli");
  expect(await ccl("on", client, "--yes")).toMatchObject({ code: 0 });
  expect(await read(path)).toBe(written);
  expect(await ccl("off", client, "--yes")).toMatchObject({ code: 0 });
  expect(await read(path)).toBe(text);
  expect(await readdir(home, { recursive: true })).toEqual(tree);
});

it("leaves folders that were there before or hold files of the user", async () => {
  await mkdir(join(home, ".cursor"));
  await ccl("on", "cursor", "--yes");
  await ccl("on", "opencode", "--yes");
  await write(".config/opencode/mine.json", "{}");
  await ccl("off", "--yes");
  expect(await readdir(join(home, ".cursor"))).toEqual([]);
  expect(await readdir(join(home, ".config/opencode"))).toEqual(["mine.json"]);
});

it.each([
  ["mcp", "hooks"],
  ["hooks", "mcp"],
])(
  "removes a folder of its own with the last of its files there: %s, then %s",
  async (...kinds) => {
    await mkdir(join(home, ".local/state"), { recursive: true });
    const tree = await readdir(home, { recursive: true });
    for (const kind of ["mcp", "hooks"]) await ccl(kind, "install", "opencode", "--yes");
    for (const kind of kinds) await ccl(kind, "uninstall", "opencode", "--yes");
    expect(await readdir(home, { recursive: true })).toEqual(tree);
    for (const kind of kinds) await ccl(kind, "install", "opencode", "--yes");
    await ccl("off", "--yes");
    expect(await readdir(home, { recursive: true })).toEqual(tree);
  },
);

it("writes to the settings that opencode has, and finds itself in either of its files", async () => {
  const [plain, commented] = [".config/opencode/opencode.json", ".config/opencode/opencode.jsonc"];
  const before = '{\n  // mine\n  "theme": "dark",\n}\n';
  await write(commented, before);
  await ccl("mcp", "install", "opencode", "--yes");
  expect(await read(plain)).toBeUndefined();
  expect(await read(commented)).toContain("@ccl/cli");
  await write(plain, "{}");
  expect((await ccl("status")).stdout).toMatch(/^ok +opencode +on in .*opencode\.jsonc$/m);
  await ccl("off", "opencode", "--yes");
  expect([await read(plain), await read(commented)]).toEqual(["{}", before]);
});

it.each(["claude", "cursor"] as const)(
  "%s: keeps what the user changed in between, and empty members that were the user's",
  async (client) => {
    const path = files[client];
    const before =
      '{\n  "mcpServers": {},\n  "hooks": {\n    "PostToolUse": []\n  },\n  "a": 1\n}\n';
    await write(path, before);
    await ccl("on", client, "--yes");
    const own = (await read(path)) ?? "";
    await write(path, own.replace('"a": 1', '"a": 2, // mine\n  "b": [ ]'));
    expect(await ccl("off", "--yes")).toMatchObject({ code: 0 });
    expect(await read(path)).toBe(before.replace('"a": 1', '"a": 2, // mine\n  "b": [ ]'));
  },
);

it("takes out of a hook and a server what is its own, where the user added to them", async () => {
  await ccl("on", "claude", "--yes");
  const path = files.claude;
  const settings = JSON.parse((await read(path)) ?? "");
  settings.hooks.PostToolUse[0].hooks.push({ type: "command", command: "mine" });
  await write(path, JSON.stringify(settings));
  await ccl("off", "claude", "--yes");
  const hooks = [{ type: "command", command: "mine" }];
  expect(JSON.parse((await read(path)) ?? "")).toEqual({
    hooks: { PostToolUse: [{ matcher: "Bash", hooks }] },
  });
});

it.each([
  ['model = "x"', ""],
  ['model = "x"\n\n[mcp_servers.other]\ncommand = "y"\n', ""],
  ['model = "x"\r\n', "\r\n# mine\r\n[mcp_servers.mine]\r\nargs = []\r\n"],
  ["", "\n# mine\n[tui]\nx = 1\n"],
  [undefined, ""],
])("leaves the table of Codex out of %j with %j added", async (before, added) => {
  const path = ".codex/config.toml";
  if (before !== undefined) await write(path, before);
  await ccl("mcp", "install", "codex", "--yes");
  const own = (await read(path)) ?? "";
  expect(own).toContain("[mcp_servers.ccl]");
  const more = '[mcp_servers.ccl.env]\nA = "1"\n';
  await write(path, `${own}${more}${added}`);
  await ccl("off", "codex", "--yes");
  expect(await read(path)).toBe(before === undefined ? undefined : `${before}${added}`);
});

it.each([
  'mcp_servers = { a = { command = "x" } }\n',
  '[mcp_servers]\nccl = { command = "x" }\n',
  'mcp_servers.a.command = "x"\n',
])("refuses to break TOML that names servers otherwise: %j", async (text) => {
  const path = ".codex/config.toml";
  await write(path, text);
  expect(await ccl("mcp", "install", "codex", "--yes")).toMatchObject({ code: 2 });
  expect(await read(path)).toBe(text);
});

it.each(["{ theme: dark }", '{"hooks": "none", "mcpServers": "none"}', "[]", '{"a":1} {"b":2}'])(
  "refuses %j, says what to write, and changes nothing",
  async (text) => {
    for (const client of ["claude", "cursor"] as const) {
      await write(files[client], text);
      const { code, stderr } = await ccl("on", client, "--yes");
      expect(code).toBe(2);
      expect(stderr).toContain("by hand: {");
      expect(await read(files[client])).toBe(text);
    }
  },
);

it("keeps a file's rights and a link to it, and refuses bytes that would not come back", async () => {
  const path = join(home, files.claude);
  await write("dotfiles/settings.json", "{}\n");
  await chmod(join(home, "dotfiles/settings.json"), 0o640);
  await mkdir(dirname(path));
  await symlink(join(home, "dotfiles/settings.json"), path);
  await ccl("on", "claude", "--yes");
  expect(await read("dotfiles/settings.json")).toContain("@ccl/cli");
  expect((await stat(path)).mode & 0o777).toBe(0o640);
  await ccl("off", "--yes");
  expect(await read("dotfiles/settings.json")).toBe("{}\n");
  const latin = Buffer.from('{"a":"\xe9"}', "latin1");
  await writeFile(path, latin);
  expect(await ccl("on", "claude", "--yes")).toMatchObject({ code: 2 });
  expect(await readFile(path)).toEqual(latin);
});

it("takes everything out at once, whichever command put it there, and needs a client that there is", async () => {
  await ccl("on", "cursor", "--yes");
  await ccl("hooks", "install", "claude-code", "--yes");
  await ccl("mcp", "install", "opencode", "--yes");
  const { stdout } = await ccl("off", "--yes");
  for (const path of [files.cursor, files.claude, ".config/opencode/opencode.json"]) {
    expect(stdout).toContain(path);
    expect(await read(path)).toBeUndefined();
  }
  for (const args of [
    ["on", "emacs"],
    ["off", "toString"],
  ])
    expect(await ccl(...args, "--yes")).toMatchObject({ code: 2 });
});

it("says which clients it is on for, and that another ccl wrote there", async () => {
  expect((await ccl("status")).stdout).toMatch(/^hint +clients +not set up/m);
  await ccl("on", "claude", "--yes");
  const { code, stdout } = await ccl("status");
  expect(code).toBe(0);
  expect(stdout).toMatch(/^ok +claude +on in .*settings\.json$/m);
  await write(
    files.claude,
    ((await read(files.claude)) ?? "").replace("npx -y @ccl/cli", "old/ccl"),
  );
  expect((await ccl("status")).stdout).toMatch(/^hint +claude +on in .* by another ccl/m);
});

it("shows a line of what the provider reported and what was fetched back, or that nothing was", async () => {
  const usage = { input_tokens: 1000, cache_read_input_tokens: 100_000, output_tokens: 1 };
  const call = { command: "ccl artifacts read 0123456789ab --lines 1-80" };
  const lines = [
    { type: "user", message: { role: "user", content: "Why?" } },
    {
      type: "assistant",
      message: {
        role: "assistant",
        model: "claude-sonnet-4-5",
        id: "m",
        usage,
        content: [{ type: "tool_use", id: "c", name: "Bash", input: call }],
      },
    },
  ];
  await write("session.jsonl", lines.map((line) => JSON.stringify(line)).join("\n"));
  const stdin = JSON.stringify({ transcript_path: join(home, "session.jsonl") });
  const shown = await runCcl(["status", "--line"], { cwd: home, stdin });
  // 1,000 at $3 and 100,000 at a tenth of it, a million.
  expect(shown.stdout).toBe("ccl: input $0.03 as reported, 1 fetched back\n");
  const none = await runCcl(["status", "--line"], { cwd: home, stdin: "{}" });
  expect(none.stdout).toBe("ccl: input cost unknown, 0 fetched back\n");
});

it.each([
  ["figures", { directUsd: 3, usd: 2, unpriced: 0 }, "about $1.00 saved (estimate)", 1],
  ["no price of the model", { directUsd: 0, usd: 0, unpriced: 2 }, "saving unknown", undefined],
  ["a refusal", { error: {} }, "saving unknown", undefined],
])("shows what a proxy saved where it gives %s", async (_, figures, shown, saved) => {
  const server = createServer((_request, response) => response.end(JSON.stringify(figures)));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  const address = server.address();
  const port = typeof address === "object" ? address?.port : undefined;
  const env = { OPENAI_BASE_URL: `http://127.0.0.1:${port}` };
  const line = { cwd: home, stdin: "{}", env };
  const { stdout } = await runCcl(["status", "--line"], line);
  expect(stdout).toBe(`ccl: input cost unknown, 0 fetched back, ${shown}\n`);
  const document = JSON.parse((await runCcl(["status", "--line", "--json"], line)).stdout);
  expect(document.saved).toBe(saved);
  const alone = await runCcl(["status", "--line", "--json"], { cwd: home, stdin: "{}" });
  expect(JSON.parse(alone.stdout)).toEqual({ fetched: 0 });
});

const spaced = fc
  .tuple(fc.jsonValue({ maxDepth: 3 }), fc.constantFrom(undefined, 2, "\t"), fc.boolean())
  .filter(([value]) => typeof value === "object" && value !== null && !Array.isArray(value))
  .map(([value, indent, isWindows]) => {
    const text = JSON.stringify(value, null, indent);
    return isWindows ? text.replaceAll("\n", "\r\n") : text;
  });

it("puts a value into any object, and takes it out without a trace", () => {
  fc.assert(
    fc.property(spaced, fc.constantFrom(["ccl-own"], ["ccl-own", "b", "+"]), (text, path) => {
      const added = withValue(text, path, { x: [1] });
      const last = path.map((name) => (name === "+" ? "0" : name));
      expect(JSON.parse(added)).toMatchObject({ ...JSON.parse(text) });
      expect(withoutValue(added, last, emptyPaths(text))).toBe(text);
    }),
  );
});
