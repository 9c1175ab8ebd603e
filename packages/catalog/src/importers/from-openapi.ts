import { failure, success, type Result, compareCodeUnits } from "@ccl/core";
import { parse as parseYaml } from "yaml";
import type { ResourceInput } from "../record/resource-record.ts";
import { cleanText, cleanUrl } from "./clean-text.ts";
import { apiOperation, type ApiContext } from "./api-operation.ts";
import { arrayAt, isRecord, recordAt, type JsonRecord } from "@ccl/core/json";
import { textField } from "./text-field.ts";
import { followReferences } from "./resolve-reference.ts";

/** How an API is named and where it is. */
export interface FromOpenApiOptions {
  /** Stands in ids, like `res:api.petstore.listPets`; the title of the document in lower case by default. */
  name?: string | undefined;
  /** Where the API is; the document's first server by default. User and password in a URL are left out. */
  baseUrl?: string | undefined;
  owner?: string | undefined;
  tags?: readonly string[] | undefined;
}

/** A document with more fails rather than lose some. */
const maxOperations = 20_000;
const maxJsonChars = 64 * 1024 * 1024;
/** YAML takes some hundred times as long to read. */
const maxYamlChars = 8 * 1024 * 1024;

/**
 * The operations of an OpenAPI 3.0 or 3.1 or Swagger 2 document, as a value or as its JSON or YAML text, by id: columns from
 * parameters, body and answer (`in` says which), security as references to secrets. References that lead nowhere or in
 * a circle cost a column's type, not the import. Codes: `not_openapi`, `too_large`, `too_many_operations`.
 */
export function fromOpenApi(
  document: unknown,
  options: FromOpenApiOptions = {},
): Result<ResourceInput[]> {
  const read = typeof document === "string" ? readText(document) : success(document);
  if (!read.ok) return read;
  const root = read.value;
  if (
    !isRecord(root) ||
    !isRecord(root["paths"] ?? root["webhooks"]) ||
    versionOf(root) === undefined
  ) {
    const message =
      'The document is no OpenAPI: it needs "openapi": "3..." or "swagger": "2.0", and "paths".';
    return failure({ code: "not_openapi", path: [], message });
  }
  const operations = listOperations(root);
  if (operations.length > maxOperations) {
    const message = `The document has ${operations.length} operations, more than ${maxOperations}; split it.`;
    return failure({ code: "too_many_operations", path: ["paths"], message });
  }
  const context = contextOf(root, options);
  const resources = new Map<string, ResourceInput>();
  for (const operation of operations) {
    const resource = apiOperation(operation, context);
    // Ids of operations are unique by the standard; where they are not, the method and the path tell them apart.
    const isTaken = resources.has(resource.id);
    const named = isTaken ? apiOperation({ ...operation, isNamedByPath: true }, context) : resource;
    resources.set(named.id, named);
  }
  return success(
    [...resources.values()].sort((left, right) => compareCodeUnits(left.id, right.id)),
  );
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

function versionOf(root: JsonRecord): 2 | 3 | undefined {
  const { swagger, openapi } = root;
  if (typeof openapi === "string" && openapi.startsWith("3.")) return 3;
  return swagger === "2.0" || swagger === 2 ? 2 : undefined;
}

function contextOf(root: JsonRecord, options: FromOpenApiOptions): ApiContext {
  const info = recordAt(root, "info");
  const title = cleanText(info["title"], 100) ?? "api";
  const schemes = recordAt(recordAt(root, "components"), "securitySchemes");
  return {
    root,
    version: versionOf(root) ?? 3,
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

/** The first server with its variables filled in, or Swagger's scheme, host and base path; empty where none is named. */
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

/** An operation as the document has it. */
interface FoundOperation {
  path: string;
  method: string;
  operation: JsonRecord;
  /** Parameters of the path, for all its methods. */
  shared: unknown[];
}

function listOperations(root: JsonRecord): FoundOperation[] {
  const found: FoundOperation[] = [];
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
