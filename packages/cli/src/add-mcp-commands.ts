import { type Command, InvalidArgumentError, Option } from "commander";

import { parseTokens } from "./add-pack-commands.ts";
import type { McpInstallFlags } from "./commands/mcp-install.ts";
import type { McpProxyFlags } from "./commands/mcp-proxy.ts";
import type { McpServeFlags } from "./commands/mcp-serve.ts";
import type { CommandResult } from "./output/command-result.ts";
import { parsePort } from "./parse-port.ts";
import type { Session } from "./session.ts";

type Run = (command: (session: Session) => Promise<CommandResult>) => Promise<void>;

/** `ccl mcp ...`: the project as an MCP server, and a proxy in front of others. */
export function addMcpCommands(program: Command, run: Run): void {
  const mcp = addListening(
    program.command("mcp").description("the project as an MCP server for an editor, over stdio"),
  );
  mcp
    .option("--allow-apply", "offer plan_apply too; the client asks its user before each change")
    .option("--state <dir>", "where artifacts are kept (default: the user's state folder)")
    .action((flags: McpServeFlags) =>
      run(async (session) => (await import("./commands/mcp-serve.ts")).mcpServe(session, flags)),
    );
  addListening(
    mcp
      .command("proxy")
      .description("other MCP servers with short tool lists and short results, over stdio")
      .requiredOption("--config <file>", "an mcp.json with the servers"),
  )
    .option("--list-tokens <tokens>", "longer lists of tools become three tools", parseRoom, 3_000)
    .option("--result-tokens <tokens>", "longer results are cut and stored", parseRoom, 2_000)
    .option("--state <dir>", "where artifacts are kept (default: the user's state folder)")
    .action((flags: McpProxyFlags) =>
      run(async (session) => (await import("./commands/mcp-proxy.ts")).mcpProxy(session, flags)),
    );
  addInstall(mcp, run);
}

function addInstall(mcp: Command, run: Run): void {
  const clients = "claude-code, codex, cursor, vscode or opencode";
  for (const isRemoval of [false, true]) {
    mcp
      .command(isRemoval ? "uninstall <client>" : "install <client>")
      .description(
        isRemoval
          ? `take ccl out of the settings of ${clients}`
          : `put ccl into the settings of ${clients}; shows the change first`,
      )
      .option("--project", "in the project's settings instead of the user's")
      .option("-y, --yes", "ask nothing")
      .option("--show", "print the change only")
      .action((client: string, flags: McpInstallFlags) =>
        run(async (session) =>
          (await import("./commands/mcp-install.ts")).mcpInstall(session, client, {
            ...flags,
            isRemoval,
          }),
        ),
      );
  }
}

function addListening(command: Command): Command {
  return command
    .option("--http [port]", "streamable HTTP on this machine instead of stdio", parsePort)
    .addOption(new Option("--host <address>", "listen elsewhere; needs CCL_MCP_TOKEN"));
}

function parseRoom(text: string): number {
  const tokens = parseTokens(text);
  if (tokens >= 600) return tokens;
  throw new InvalidArgumentError("Give 600 or more, such as 3000 or 3k.");
}
