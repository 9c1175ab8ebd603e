import { failure, success, type Result } from "@ccl/core";
import { parse as parseYaml } from "yaml";
import type { ResourceInput } from "../record/resource-record.ts";
import { lastById } from "./from-tools.ts";
import { cleanText, cleanUrl } from "../schema/clean-text.ts";
import { apiOperation, type ApiContext, type ApiOperation } from "./api-operation.ts";
import { arrayAt, isRecord, recordAt, type JsonRecord } from "@ccl/core/json";
import { textField } from "../schema/text-field.ts";
import { followReferences } from "../schema/resolve-reference.ts";

/** Options of `fromOpenApi`. */
export interface FromOpenApiOptions {
  /** Part of ids, e.g. `res:api.petstore.listPets`. Defaults to the document's title in lower case. */
  name?: string | undefined;
  /** Defaults to the document's first server. A user name and password in the URL are removed. */
  baseUrl?: string | undefined;
  owner?: string | undefined;
  tags?: readonly string[] | undefined;
}

/** Maximum number of operations. Larger documents are rejected rather than partly imported. */
const maxOperations = 20_000;
const maxJsonChars = 64 * 1024 * 1024;
/** Maximum length of YAML, which parses about a hundred times slower than JSON. */
const maxYamlChars = 8 * 1024 * 1024;

/**
 * Imports the operations of an OpenAPI 3.0, OpenAPI 3.1 or Swagger 2 document, sorted by id. The document can be a
 * value, or JSON or YAML text. Columns come from parameters, body and response (`in` says which). Security schemes
 * become references to secrets. A column whose reference is broken or circular has no type. Codes: `not_openapi`,
 * `too_large`, `too_many_operations`.
 */
export function fromOpenApi(
  document: unknown,
  options: FromOpenApiOptions = {},
): Result<ResourceInput[]> {
  const read = typeof document === "string" ? readText(document) : success(document);
  if (!read.ok) return read;
  const root = read.value;
  if (!isRecord(root) || !isRecord(root["paths"] ?? root["webhooks"]) || !isKnownVersion(root)) {
    const message =
      'The document is not OpenAPI: it needs "openapi": "3..." or "swagger": "2.0", and "paths".';
    return failure({ code: "not_openapi", path: [], message });
  }
  const operations = listOperations(root);
  if (operations.length > maxOperations) {
    const message = `The document has ${operations.length} operations, more than ${maxOperations}; split it.`;
    return failure({ code: "too_many_operations", path: ["paths"], message });
  }
  const context = contextOf(root, options);
  const names = new Set<string>();
  const resources = operations.map((found) => {
    const id = textField(found.operation, "operationId");
    // The standard requires unique operation ids. If a document repeats one, it is replaced by the method and the path.
    const name = id === undefined || names.has(id) ? `${found.method}-${found.path}` : id;
    names.add(name);
    return apiOperation({ ...found, name }, context);
  });
  return success(lastById(resources));
}

function readText(text: string): Result<unknown> {
  const isJson = /^\uFEFF?\s*\{/.test(text.slice(0, 200));
  const maxChars = isJson ? maxJsonChars : maxYamlChars;
  if (text.length > maxChars) {
    const message = `The document has ${text.length} characters, more than the ${maxChars} that are read of this form.`;
    return failure({ code: "too_large", path: [], message });
  }
  try {
    return success<unknown>(
      isJson ? JSON.parse(text.replace(/^\uFEFF/, "")) : parseYaml(text, { maxAliasCount: 1_000 }),
    );
  } catch (error) {
    const reason =
      cleanText(error instanceof Error ? error.message : String(error), 200) ?? "it is malformed";
    return failure({
      code: "not_openapi",
      path: [],
      message: `The document can't be read: ${reason}`,
    });
  }
}

function isKnownVersion({ swagger, openapi }: JsonRecord): boolean {
  return String(openapi).startsWith("3.") || Number(swagger) === 2;
}

function contextOf(root: JsonRecord, options: FromOpenApiOptions): ApiContext {
  const info = recordAt(root, "info");
  const title = cleanText(info["title"], 100) ?? "api";
  const schemes = recordAt(recordAt(root, "components"), "securitySchemes");
  return {
    root,
    name:
      options.name ??
      title
        .toLowerCase()
        .match(/[\p{L}\p{N}]+/gu)
        ?.join("-") ??
      "api",
    baseUrl: cleanUrl(options.baseUrl ?? serverOf(root)).replace(/\/+$/, ""),
    security: "security" in root ? arrayAt(root, "security") : [],
    schemes: { ...recordAt(root, "securityDefinitions"), ...schemes },
    owner: options.owner,
    tags: options.tags ?? [],
    flattened: new Map(),
  };
}

/**
 * Returns the first server with its variables filled in, or Swagger's scheme, host and base path. Empty if the
 * document has none.
 */
function serverOf(root: JsonRecord): string {
  const [server] = arrayAt(root, "servers");
  const url = isRecord(server) ? textField(server, "url") : undefined;
  if (isRecord(server) && url !== undefined) {
    const variables = recordAt(server, "variables");
    return url.replace(/\{([^{}]{1,100})\}/g, (whole, name: string) => {
      return textField(recordAt(variables, name), "default") ?? whole;
    });
  }
  const host = textField(root, "host");
  const [scheme = "https"] = arrayAt(root, "schemes");
  return host === undefined
    ? (textField(root, "basePath") ?? "")
    : `${String(scheme)}://${host}${textField(root, "basePath") ?? ""}`;
}

const methods = ["get", "put", "post", "delete", "options", "head", "patch", "trace"] as const;

function listOperations(root: JsonRecord): Omit<ApiOperation, "name">[] {
  const found: Omit<ApiOperation, "name">[] = [];
  for (const [path, entry] of Object.entries(recordAt(root, "paths"))) {
    const { value: item } = followReferences(root, entry);
    if (!isRecord(item)) continue;
    for (const method of methods) {
      const operation = item[method];
      if (!isRecord(operation)) continue;
      found.push({ path, method, operation, shared: arrayAt(item, "parameters") });
    }
  }
  return found;
}
