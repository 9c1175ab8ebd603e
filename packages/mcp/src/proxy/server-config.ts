import { failure, type Issue, type Result, success } from "@ccl/core";
import { isRecord, jsonText, parseJson } from "@ccl/core/json";
import * as z from "zod";

/** How to connect to a server: as a process, or at an address. */
export type McpServerConfig = McpProcessConfig | McpAddressConfig;

/** A server that runs as a process and exchanges messages over stdin and stdout. */
interface McpProcessConfig {
  command: string;
  args?: string[] | undefined;
  /** Added to the few harmless variables that every server receives. */
  env?: Record<string, string> | undefined;
  cwd?: string | undefined;
}

/** A server that is reached over streamable HTTP. */
interface McpAddressConfig {
  url: string;
  headers?: Record<string, string> | undefined;
}

const texts = z.record(z.string(), z.string());
const processConfig = z.object({
  command: z.string().min(1),
  args: z.array(z.string()).exactOptional(),
  env: texts.exactOptional(),
  cwd: z.string().exactOptional(),
});
const addressConfig = z.object({
  url: z.url({ protocol: /^https?$/ }),
  headers: texts.exactOptional(),
});

/**
 * Reads the servers in an `mcp.json` of Claude Code, Cursor or VS Code, from `mcpServers` or `servers`. Leaves out
 * `disabled` servers. Replaces `${NAME}`, `${env:NAME}` and `${NAME:-default}` with values from `env`.
 */
export function readMcpServers(
  document: unknown,
  env: Readonly<Record<string, string | undefined>> = {},
): Result<Record<string, McpServerConfig>> {
  const servers = isRecord(document) ? (document["mcpServers"] ?? document["servers"]) : undefined;
  if (!isRecord(servers))
    return failure(issueAt([], 'there is no object "mcpServers" (or "servers")'));
  const issues: Issue[] = [];
  const read: Record<string, McpServerConfig> = {};
  for (const [server, given] of Object.entries(servers)) {
    if (isRecord(given) && given["disabled"] === true) continue;
    // Substitutes in the JSON text, so that variables work wherever a string may occur.
    const filled = parseJson(
      jsonText(given).replace(variable, (_, name: string, fallback?: string) => {
        const value = env[name];
        if (value !== undefined) return jsonText(value).slice(1, -1);
        if (fallback === undefined)
          issues.push(issueAt([server], `the environment variable ${name} is not set`));
        return fallback ?? "";
      }),
    );
    const hasUrl = isRecord(filled) && "url" in filled;
    const parsed = (hasUrl ? addressConfig : processConfig).safeParse(filled);
    if (parsed.success) read[server] = parsed.data;
    else
      for (const { path, message } of parsed.error.issues)
        issues.push(issueAt([server, ...path.map(String)], message));
  }
  const [issue, ...others] = issues;
  return issue === undefined ? success(read) : failure(issue, ...others);
}

function issueAt(path: string[], reason: string): Issue {
  const message = path.length === 0 ? reason : `${path.join(".")}: ${reason}`;
  return { code: "config_invalid", path, message };
}

const variable = /\$\{(?:env:)?([A-Za-z_]\w*)(?::-([^}]*))?\}/g;
