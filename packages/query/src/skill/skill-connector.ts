import { throwIfAborted, withTimeout } from "@ccl/core/async";
import type { ToolDefinition } from "@ccl/core";
import type { ResourceDetails } from "@ccl/catalog";
import { answerRows, answerShape, type RowPage } from "../connector/answer-rows.ts";
import type { PlanValue } from "../connector/column-batch.ts";
import type { Connector } from "../connector/connector.ts";
import { createRowConnector, type RowRequest } from "../connector/create-row-connector.ts";
import { lastPart } from "../connector/find-connector.ts";
import { jsonDecoder } from "../connector/json-value.ts";
import { scanColumns } from "../connector/scan-columns.ts";
import { QueryError } from "../query-error.ts";
import { checkBySchema } from "./check-by-schema.ts";

/** How functions are called. */
export interface SkillConnectorOptions {
  /** Used in messages. `functions` by default. */
  name?: string | undefined;
  /** Keys from an answer to its list of rows, by function. By default derived from the column names. */
  rowsAt?: Readonly<Record<string, string>> | undefined;
  /** Maximum calls of one scan with different arguments. 100 by default. */
  maxCalls?: number | undefined;
  /** Limit of one call. 30,000 by default. */
  timeoutMs?: number | undefined;
}

/**
 * A connector over functions, each named by the last part of its resource's address. `=` and `in` on a parameter give
 * its arguments, one call per combination. Every call checks the arguments against `inputSchema` and the answer against
 * `outputSchema`. Every function needs both.
 * @throws QueryError `invalid_options` for a function without an output schema, or two of one name
 */
export function skillConnector(
  functions: readonly ToolDefinition[],
  options: SkillConnectorOptions = {},
): Connector {
  const { name = "functions", maxCalls = 100, timeoutMs = 30_000 } = options;
  const byName = new Map<string, ToolDefinition>();
  for (const tool of functions) {
    if (byName.has(tool.name))
      throw new QueryError(
        "invalid_options",
        `There are two functions ${JSON.stringify(tool.name)}.`,
      );
    if (tool.outputSchema === undefined)
      throw new QueryError(
        "invalid_options",
        `${JSON.stringify(tool.name)} has no outputSchema; a plan has to know its rows.`,
      );
    byName.set(tool.name, tool);
  }
  const functionOf = (resource: ResourceDetails): ToolDefinition => {
    const wanted = lastPart(resource, /[/:]/);
    const found = byName.get(wanted);
    if (found !== undefined) return found;
    throw new QueryError(
      "source_failed",
      `${name} has no function ${JSON.stringify(wanted)} for ${JSON.stringify(resource.id)}.`,
    );
  };
  return createRowConnector({
    name,
    maxCalls,
    takes: ({ column, operator }, resource) =>
      (operator === "eq" || operator === "in") &&
      scanColumns(resource).get(column)?.isParameter === true,
    describe: ({ resource, arguments: given }) =>
      `${functionOf(resource).name}(${[...given.keys()].map((key) => `${JSON.stringify(key)}: ?`).join(", ")})`,
    decoderOf: jsonDecoder,
    async *read(request) {
      const tool = functionOf(request.resource);
      yield await callOnce(tool, request, {
        name: `${name} ${tool.name}`,
        timeoutMs,
        rowsAt: options.rowsAt?.[tool.name],
      });
    },
  });
}

interface CallOptions {
  name: string;
  timeoutMs: number;
  rowsAt: string | undefined;
}

async function callOnce(
  tool: ToolDefinition,
  request: RowRequest,
  { name, timeoutMs, rowsAt }: CallOptions,
): Promise<RowPage> {
  const { resource, signal } = request;
  const input = nested(
    new Map([...request.arguments].map(([key, value]) => [key, jsonValue(value, key)])),
  );
  checkBySchema(input, tool.inputSchema, {
    what: `The arguments of ${JSON.stringify(tool.name)}`,
    code: "argument_missing",
  });
  const onTimeout = (): QueryError =>
    new QueryError("limit_exceeded", `${name} took longer than ${timeoutMs} ms.`, {
      details: { limit: "timeoutMs", max: timeoutMs },
    });
  try {
    const output: unknown = await withTimeout(
      async (inner) => tool.execute(input, { signal: inner }),
      { timeoutMs, signal, onTimeout },
    );
    checkBySchema(output, tool.outputSchema ?? {}, {
      what: `The answer of ${JSON.stringify(tool.name)}`,
      code: "value_invalid",
    });
    return answerRows(output, answerShape(resource, rowsAt), name);
  } catch (error) {
    throwIfAborted(signal, QueryError);
    if (QueryError.isInstance(error)) throw error;
    const reason = error instanceof Error ? error.message : String(error);
    throw new QueryError("source_failed", `${name} failed: ${reason.slice(0, 300)}`, {
      cause: error,
    });
  }
}

function jsonValue(value: PlanValue, key: string): PlanValue {
  if (typeof value !== "bigint") return value;
  const message = `The value of ${JSON.stringify(key)} is no number that JSON holds exactly.`;
  throw new QueryError("value_invalid", message);
}

/** `filter.city` becomes `city` in the object `filter`. */
function nested(given: ReadonlyMap<string, PlanValue>): object {
  const root: Map<string, unknown> = new Map();
  for (const [name, value] of given) {
    const parts = name.split(".");
    let at = root;
    for (const part of parts.slice(0, -1)) {
      const inner = at.get(part);
      const next: Map<string, unknown> = inner instanceof Map ? inner : new Map();
      at.set(part, next);
      at = next;
    }
    at.set(parts.at(-1) ?? name, value);
  }
  return plainObject(root);
}

function plainObject(map: ReadonlyMap<string, unknown>): object {
  return Object.fromEntries(
    [...map].map(([key, value]) => [key, value instanceof Map ? plainObject(value) : value]),
  );
}
