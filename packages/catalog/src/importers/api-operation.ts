import { arrayAt, isRecord, recordAt, type JsonRecord, withoutUndefined } from "@ccl/core/json";
import type { ResourceColumn, ResourceInput } from "../record/resource-record.ts";
import { cleanField, cleanText } from "../schema/clean-text.ts";
import { textField, textsOf } from "../schema/text-field.ts";
import { resourceId, resourceUri, secretUri } from "./resource-address.ts";
import { followReferences } from "../schema/resolve-reference.ts";
import { schemaColumns, type SchemaColumns } from "../schema/schema-columns.ts";

/** State shared by all operations in a document. */
export interface ApiContext {
  root: JsonRecord;
  name: string;
  /** Without a trailing slash. Empty if unknown. */
  baseUrl: string;
  /** The document's default, used for operations without their own `security`. */
  security: unknown[];
  schemes: JsonRecord;
  owner: string | undefined;
  tags: readonly string[];
  /** Cache of flattened schemas by location and reference, since operations share them. */
  flattened: Map<string, SchemaColumns>;
}

/** One method of one path. */
export interface ApiOperation {
  /** Unique within the document. */
  name: string;
  path: string;
  method: string;
  operation: JsonRecord;
  /** Parameters of the path, shared by all its methods. */
  shared: unknown[];
}

const maxParameters = 200;

/** Converts an operation to a record of kind `api`. */
export function apiOperation(found: ApiOperation, context: ApiContext): ResourceInput {
  const { path, method, operation } = found;
  const { name, baseUrl, root } = context;
  const parameters = parametersOf(found, context);
  const parts = [
    readParameters(parameters, root),
    readBody(found, parameters, context),
    readAnswer(operation, context),
  ];
  const columns = parts.flatMap((part) => part.columns);
  const unresolved = [...new Set(parts.flatMap((part) => part.unresolved))].slice(0, 50);
  const verb = method.toUpperCase();
  const summary = cleanText(operation["summary"], 200);
  return withoutUndefined({
    id: resourceId("api", name, found.name),
    uri: baseUrl === "" ? resourceUri("api", name, found.name) : baseUrl + uriTemplate(path),
    kind: "api",
    title: summary ?? `${verb} ${path}`.slice(0, 200),
    ...cleanField("description", operation["description"] ?? operation["summary"]),
    tags: [
      ...new Set([
        name,
        `method:${method}`,
        ...textsOf(arrayAt(operation, "tags")).map((tag) => tag.slice(0, 100)),
        ...(operation["deprecated"] === true ? ["deprecated"] : []),
        ...context.tags,
      ]),
    ],
    shape: { cols: columns.length },
    cap: capabilitiesOf(method, columns),
    columns,
    usage: {
      snippets: [{ engine: "http", code: exampleRequest({ verb, baseUrl, path, parameters }) }],
    },
    http: { method: verb, path },
    ...securityOf(operation, context),
    owner: context.owner,
    columns_cut: parts.some((part) => part.isCut) || undefined,
    unresolved_refs: unresolved.length > 0 ? unresolved : undefined,
  });
}

/** Escapes every character that a URI cannot contain. Keeps the path's `{parameters}`. */
function uriTemplate(path: string): string {
  return encodeURI(path.replace(/\p{Surrogate}/gu, "\uFFFD"))
    .replaceAll("%7B", "{")
    .replaceAll("%7D", "}");
}

/** Merges the path's parameters with the operation's, which win if location and name are equal. */
function parametersOf({ operation, shared }: ApiOperation, { root }: ApiContext): JsonRecord[] {
  const parameters = new Map<string, JsonRecord>();
  for (const entry of [...shared, ...arrayAt(operation, "parameters")].slice(0, maxParameters)) {
    const { value } = followReferences(root, entry);
    if (isRecord(value)) parameters.set(JSON.stringify([value["in"], value["name"]]), value);
  }
  return [...parameters.values()];
}

function readParameters(parameters: readonly JsonRecord[], root: JsonRecord): SchemaColumns {
  const columns: ResourceColumn[] = [];
  const unresolved: string[] = [];
  for (const parameter of parameters) {
    const name = textField(parameter, "name");
    const place = textField(parameter, "in");
    if (name === undefined || place === undefined || place === "body") continue;
    // Swagger 2 puts the schema's fields in the parameter itself. OpenAPI 3 may put them under a media type.
    const schema = parameter["schema"] ?? mediaSchema(recordAt(parameter, "content")) ?? parameter;
    const read = schemaColumns(schema, { root, maxColumns: 1, maxDepth: 0 });
    unresolved.push(...read.unresolved);
    columns.push({
      name: name.slice(0, 300),
      type: read.columns[0]?.type ?? "object",
      ...cleanField("description", parameter["description"] ?? read.columns[0]?.description),
      ...(Array.isArray(read.columns[0]?.["enum"]) ? { enum: read.columns[0]["enum"] } : {}),
      ...(parameter["required"] === true ? { nn: true } : {}),
      in: place === "formData" ? "body" : place,
    });
  }
  return { columns, isCut: parameters.length >= maxParameters, unresolved };
}

const nothing: SchemaColumns = { columns: [], isCut: false, unresolved: [] };

/** Flattens a schema. The columns of a plain `$ref` are cached. */
function flatten(
  schema: unknown,
  place: "body" | "response",
  { root, flattened }: ApiContext,
): SchemaColumns {
  const reference =
    isRecord(schema) && Object.keys(schema).length === 1 ? textField(schema, "$ref") : undefined;
  const known = reference === undefined ? undefined : flattened.get(`${place} ${reference}`);
  if (known !== undefined) return known;
  const columns = schemaColumns(schema, { root, in: place });
  if (reference !== undefined) flattened.set(`${place} ${reference}`, columns);
  return columns;
}

function readBody(
  found: ApiOperation,
  parameters: readonly JsonRecord[],
  context: ApiContext,
): SchemaColumns {
  const inBody = parameters.find((parameter) => parameter["in"] === "body");
  const { value } = followReferences(context.root, found.operation["requestBody"]);
  const schema =
    inBody === undefined
      ? mediaSchema(recordAt(isRecord(value) ? value : {}, "content"))
      : inBody["schema"];
  return schema === undefined ? nothing : flatten(schema, "body", context);
}

function readAnswer(operation: JsonRecord, context: ApiContext): SchemaColumns {
  const responses = recordAt(operation, "responses");
  const [status] = Object.keys(responses)
    .filter((code) => /^2(?:\d\d|XX)$/i.test(code))
    .sort();
  const { value } = followReferences(context.root, responses[status ?? "default"]);
  if (!isRecord(value)) return nothing;
  const schema = value["schema"] ?? mediaSchema(recordAt(value, "content"));
  return schema === undefined ? nothing : flatten(schema, "response", context);
}

/** Returns the schema of the JSON media type, or of the first media type if there is none. */
function mediaSchema(content: JsonRecord): unknown {
  const types = Object.keys(content);
  const chosen = types.find((type) => /^[^;]*[/+]json\b/i.test(type)) ?? types[0];
  return chosen === undefined ? undefined : recordAt(content, chosen)["schema"];
}

/** Returns references to the secrets in the first security requirement. Empty if the operation needs none. */
function securityOf(
  operation: JsonRecord,
  context: ApiContext,
): Pick<ResourceInput, "access" | "constraints"> {
  const ways = "security" in operation ? arrayAt(operation, "security") : context.security;
  const way = ways.find((entry) => isRecord(entry) && Object.keys(entry).length > 0);
  const isOpen =
    ways.length === 0 || ways.some((entry) => isRecord(entry) && Object.keys(entry).length === 0);
  if (isOpen || !isRecord(way)) return {};
  const names = Object.keys(way);
  const scopes = names.flatMap((name) =>
    textsOf(arrayAt(way, name)).map((scope) => scope.slice(0, 200)),
  );
  return {
    access: { secrets: names.map((name) => secretUri(context.name, name)) },
    constraints: withoutUndefined({
      security: names.map((name) => schemeOf(context, name)),
      scopes: scopes.length > 0 ? scopes : undefined,
    }),
  };
}

/** Describes a scheme, e.g. `oauth2`, `http bearer` or `apiKey header X-API-Key`. */
function schemeOf({ root, schemes }: ApiContext, name: string): string {
  const { value } = followReferences(root, schemes[name]);
  const scheme = isRecord(value) ? value : {};
  const words = ["type", "scheme", "in", "name"].map((field) =>
    textField(scheme, field)?.slice(0, 100),
  );
  return words.filter((word) => word !== undefined).join(" ") || "unknown";
}

const rules: [RegExp, string][] = [
  [/^(?:limit|page_?size|per_?page|count|top|max_?results|\$top)$/i, "limit"],
  [/^(?:sort|sort_?by|order|order_?by|\$orderby)$/i, "sort"],
  [/^(?:fields|select|\$select|include)$/i, "project"],
];
const paging = /^(?:page|offset|skip|cursor|after|before|page_?token|\$skip)$/i;

/** Infers an operation's capabilities from the names of its query parameters. */
function capabilitiesOf(method: string, columns: readonly ResourceColumn[]): string[] {
  if (method !== "get" && method !== "head") return ["call"];
  const names = columns.filter((column) => column["in"] === "query").map((column) => column.name);
  const known = rules
    .filter(([pattern]) => names.some((name) => pattern.test(name)))
    .map(([, cap]) => cap);
  const isFilter = (name: string): boolean =>
    !paging.test(name) && rules.every(([pattern]) => !pattern.test(name));
  return ["scan", ...(names.some(isFilter) ? ["filter"] : []), ...known];
}

interface ExampleParts {
  verb: string;
  baseUrl: string;
  path: string;
  parameters: readonly JsonRecord[];
}

/** Returns a request line with the required query parameters. */
function exampleRequest({ verb, baseUrl, path, parameters }: ExampleParts): string {
  const query = parameters
    .filter((parameter) => parameter["in"] === "query" && parameter["required"] === true)
    .map((parameter) => `${String(parameter["name"])}={${String(parameter["name"])}}`);
  return (
    cleanText(`${verb} ${baseUrl}${path}${query.length > 0 ? `?${query.join("&")}` : ""}`) ?? verb
  );
}
