import { readFile } from "node:fs/promises";
import { resolve } from "node:path";

import { fromJsonl, fromMcpTools, fromOpenApi, type ResourceInput } from "@ccl/catalog/importers";
import { type CatalogSource, sourceKey } from "@ccl/catalog/node";
import { CclError, redactSecrets } from "@ccl/core";
import { readBodyText } from "@ccl/core/http";
import { withoutUndefined } from "@ccl/core/json";
import type { McpServerConfig } from "@ccl/mcp";

import { CliError, messageOf, requireValid } from "../cli-error.ts";
import { splitCommand } from "../plan/split-command.ts";
import type { Session } from "../session.ts";
import { resolveLocation, safelyDecoded, type SourceDraft } from "./source-draft.ts";

/** Reads a source's current resources through its importer. @throws CliError `source_failed` if it does not answer */
export async function loadSource(
  session: Session,
  draft: SourceDraft,
): Promise<readonly ResourceInput[]> {
  const key = sourceKey(draft.source);
  try {
    return await load(session, draft);
  } catch (error) {
    session.signal.throwIfAborted();
    if (CliError.isInstance(error)) throw error;
    throw new CliError(
      "source_failed",
      `${key} could not be read: ${reasonOf(error, draft.address)}`,
    );
  }
}

async function load(session: Session, draft: SourceDraft): Promise<readonly ResourceInput[]> {
  const { kind, name } = draft.source;
  const key = sourceKey(draft.source);
  switch (kind) {
    case "sql":
      return (await import("./load-sql.ts")).loadSql(session, draft);
    case "mcp":
      return loadMcp(session, draft);
    case "openapi":
      return requireValid(fromOpenApi(await readDocument(session, draft), { name }), key);
    case "files":
      return requireValid(await (await import("./load-files.ts")).loadFiles(session, draft), key);
    case "jsonl":
      return requireValid(fromJsonl(await readDocument(session, draft)), key);
  }
}

/** Describes a failure without the address, since a driver may quote the connection string. */
function reasonOf(error: unknown, address: string): string {
  const isWrapped = CclError.isInstance(error) && error.code !== "no_driver";
  const cause = isWrapped && error.cause instanceof Error ? error.cause : error;
  const inner = cause instanceof AggregateError && cause.message === "" ? cause.errors[0] : cause;
  let text = messageOf(inner);
  for (const secret of secretsOf(address)) text = text.replaceAll(secret, "[redacted]");
  return redactSecrets(text).text.slice(0, 500);
}

function secretsOf(address: string): string[] {
  if (!URL.canParse(address)) return [];
  const { password, search, searchParams } = new URL(address);
  const found = [address, password, safelyDecoded(password), search, ...searchParams.values()];
  return found.filter((text) => text.length >= 3).sort((left, right) => right.length - left.length);
}

const maxBytes = 64 * 1024 * 1024;
const timeoutMs = 30_000;

/** Reads the text at a path relative to the project's root, or at an HTTP address. */
async function readDocument(session: Session, { source, address }: SourceDraft): Promise<string> {
  if (!/^https?:\/\//i.test(address)) {
    return readFile(resolve(session.root, address), {
      encoding: "utf8",
      signal: session.signal,
    });
  }
  const signal = AbortSignal.any([session.signal, AbortSignal.timeout(timeoutMs)]);
  const response = await fetch(address, { signal, headers: tokenHeaders(session, source) });
  if (!response.ok) {
    await response.body?.cancel();
    throw new CliError(
      "source_failed",
      `${source.location} answered with status ${response.status}.`,
    );
  }
  const body = await readBodyText(response.body, { maxBytes, signal });
  if (body.status === "complete") return body.text;
  const what =
    body.status === "too_large" ? `more than ${maxBytes} bytes` : "text that is not UTF-8";
  throw new CliError("source_failed", `${source.location} returned ${what}.`);
}

/** Lists the tools of an MCP server: one that is started as a process for this import, or one at an address. */
async function loadMcp(session: Session, draft: SourceDraft): Promise<ResourceInput[]> {
  const { connectMcpServer, listMcpTools } = await import("@ccl/mcp");
  const { signal } = session;
  const client = await connectMcpServer(configOf(session, draft), { timeoutMs, signal });
  try {
    const tools = await listMcpTools(client, { timeout: timeoutMs, signal });
    return fromMcpTools(tools, { server: draft.source.name });
  } finally {
    await client.close();
  }
}

function configOf(session: Session, { address, source }: SourceDraft): McpServerConfig {
  if (/^https?:\/\//i.test(address))
    return { url: address, headers: tokenHeaders(session, source) };
  const [command, ...args] = splitCommand(address, "--mcp");
  return { command, args, env: withoutUndefined(session.terminal.env), cwd: session.root };
}

/** Returns a header with the token from the source's variable. Empty if the source has no variable. */
function tokenHeaders(session: Session, { tokenVariable }: CatalogSource): Record<string, string> {
  if (tokenVariable === undefined) return {};
  return {
    authorization: `Bearer ${resolveLocation(`env:${tokenVariable}`, session.terminal.env)}`,
  };
}
