import { existsSync, statSync } from "node:fs";
import { basename, isAbsolute, relative, resolve, sep } from "node:path";

import { type CatalogSource, sourceKey, type SourceKind } from "@ccl/catalog/node";
import { redactSecrets } from "@ccl/core";

import { usageError } from "../cli-error.ts";
import { splitCommand } from "../plan/split-command.ts";
import type { Session } from "../session.ts";

/** Flags that name sources on the command line. */
export interface SourceFlags {
  sql?: string[] | undefined;
  openapi?: string[] | undefined;
  mcp?: string[] | undefined;
  files?: string[] | undefined;
  jsonl?: string[] | undefined;
  name?: string | undefined;
  schema?: string[] | undefined;
  sampleRows?: number | undefined;
  tokenEnv?: string | undefined;
}

/** A source that is about to be read. */
export interface SourceDraft {
  /** The description that is stored, without secrets. */
  source: CatalogSource;
  /** The full address. Never stored or printed. */
  address: string;
  /** True if the stored description is not enough to read the source again. */
  isStripped: boolean;
}

const kinds: readonly SourceKind[] = ["sql", "openapi", "mcp", "files", "jsonl"];
const url = /^[a-z][a-z0-9+.-]*:\/\//i;

/** Prepares the sources that flags name. */
export function draftsOf(session: Session, flags: SourceFlags): SourceDraft[] {
  const named = kinds.flatMap((kind) => (flags[kind] ?? []).map((text) => ({ kind, text })));
  if (flags.name !== undefined && named.length !== 1) {
    throw usageError("--name applies to one source. Import the others separately.");
  }
  return named.map(({ kind, text }) => draftOf(session, kind, { text, flags }));
}

/** Prepares an imported source for another read. */
export function draftOfKept(session: Session, source: CatalogSource): SourceDraft {
  return {
    source,
    address: resolveLocation(source.location, session.terminal.env),
    isStripped: false,
  };
}

function draftOf(
  session: Session,
  kind: SourceKind,
  { text, flags }: { text: string; flags: SourceFlags },
): SourceDraft {
  if (text.trim() === "") throw usageError(`--${kind} is empty. Name a source.`);
  const isVariable = variableName.test(text);
  const address = isVariable
    ? resolveLocation(text, session.terminal.env)
    : located(session, kind, text);
  const location = isVariable ? text : withoutSecrets(address, kind);
  const name = flags.name ?? defaultName(kind, address);
  if (name.length > 200 || /\p{Cc}/u.test(name))
    throw usageError("--name takes up to 200 characters, without control characters.");
  const source: CatalogSource = {
    kind,
    name,
    location,
    schemas: kind === "sql" ? flags.schema : undefined,
    sampleRows: kind === "sql" ? flags.sampleRows : undefined,
    tokenVariable: url.test(address) ? flags.tokenEnv : undefined,
  };
  return { source, address, isStripped: !isVariable && location !== address };
}

/** Returns the path in `sqlite:<path>`. Undefined for another address. */
export function sqlitePath(address: string): string | undefined {
  return /^sqlite:(?:\/\/)?(.+)$/i.exec(address)?.[1];
}

/** True for the address of a PostgreSQL database. */
export function isPostgres(address: string): boolean {
  return /^postgres(?:ql)?:\/\//i.test(address);
}

/** Makes paths relative to the project's root, so that the catalog also works on other machines. */
function located(session: Session, kind: SourceKind, text: string): string {
  if (kind === "sql") {
    if (isPostgres(text)) return text;
    const path = sqlitePath(text);
    if (path !== undefined) return `sqlite:${fromRoot(session, path)}`;
    const message =
      "--sql takes sqlite:<path>, postgres://..., or env:NAME for a variable with such an address.";
    const isFile = existsSync(resolve(session.terminal.cwd(), text));
    throw usageError(isFile ? `${message} For this file write sqlite:${text}.` : message);
  }
  if (kind === "files") return filesWithin(session, text);
  const isPath = kind === "jsonl" || (kind === "openapi" && !url.test(text));
  return isPath ? fromRoot(session, text) : text;
}

/** Replaces a folder with a glob for its files of tabular data. */
function filesWithin(session: Session, text: string): string {
  const path = resolve(session.terminal.cwd(), text);
  const isFolder = statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
  const folder = fromRoot(session, text);
  if (!isFolder) return folder;
  return `${folder === "" ? "" : `${folder}/`}**/*.{csv,tsv,json,jsonl,ndjson,parquet}`;
}

function fromRoot({ root, terminal }: Session, path: string): string {
  const absolute = resolve(terminal.cwd(), path);
  const inside = relative(root, absolute);
  return (isAbsolute(inside) ? absolute : inside).split(sep).join("/");
}

/** Removes user, password, query and fragment from URLs, and masks likely secrets in commands. */
function withoutSecrets(address: string, kind: SourceKind): string {
  if (!url.test(address) || kind === "files")
    return kind === "mcp" ? redactSecrets(address).text : address;
  if (!URL.canParse(address)) throw usageError(`The URL of --${kind} is invalid.`);
  const stripped = new URL(address);
  stripped.username = "";
  stripped.password = "";
  stripped.search = "";
  stripped.hash = "";
  const isBare = stripped.pathname === "/" && !new URL(address).href.endsWith("/");
  return redactSecrets(isBare ? stripped.href.slice(0, -1) : stripped.href).text;
}

function defaultName(kind: SourceKind, address: string): string {
  if (kind === "files") return address;
  if (kind === "mcp" && !url.test(address)) return commandName(address);
  const path = sqlitePath(address);
  if (kind === "sql" && path === undefined) {
    const database = URL.canParse(address) ? safelyDecoded(new URL(address).pathname.slice(1)) : "";
    return database === "" ? "main" : database;
  }
  if (url.test(address)) return new URL(address).hostname;
  const [first = "", ...others] = basename(path ?? address).split(".");
  return (
    [first, ...others.slice(0, -1)].find((part) => !isGenericFile.test(part)) ?? (first || kind)
  );
}

/** Parts of file names that do not identify the content: `api.shop.json` is `shop`. */
const isGenericFile = /^(?:|api|openapi|swagger|spec|schema)$/i;

/** Names that do not identify a server. */
const generic =
  /^(?:|\.{1,2}|index|main|server|cli|dist|build|src|bin|app|start|serve|run|stdio|sse)$/;

/** Finds the package or folder that a command names: `npx -y @acme/mcp-crm@2 stdio` is `mcp-crm`. */
function commandName(command: string): string {
  const [, ...words] = splitCommand(command, "--mcp").filter((word) => !word.startsWith("-"));
  for (const word of words) {
    for (const part of word.split(/[\\/]/).reverse()) {
      const name = part.replace(/(?<=.)@.*$/, "").replace(/\.\w+$/, "");
      if (!generic.test(name) && name.length <= 100) return name;
    }
  }
  throw usageError("Pass --name: the command contains no name for the server.");
}

/** Decodes a part of an address. Returns the text itself if it cannot be decoded. */
export function safelyDecoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Matches a location that refers to an environment variable. */
const variableName = /^env:([A-Za-z_]\w*)$/;

/** True if both are the same source. Ignores case, as some file systems do. */
export function isSameSource(left: CatalogSource, right: CatalogSource): boolean {
  return sourceKey(left).toLowerCase() === sourceKey(right).toLowerCase();
}

/** Returns the value of the variable that a location names, or the location itself. */
export function resolveLocation(location: string, env: NodeJS.ProcessEnv): string {
  const variable = variableName.exec(location)?.[1];
  if (variable === undefined) return location;
  const value = env[variable];
  if (value === undefined || value === "")
    throw usageError(`The environment variable ${variable} is not set.`);
  return value;
}
