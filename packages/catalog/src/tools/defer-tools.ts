import { isRecord, parseJson, withoutUndefined } from "@ccl/core/json";
import { createJsonSchemaChecker } from "@ccl/structured-output/json-schema";
import * as z from "zod";

import { createCatalog } from "../catalog/create-catalog.ts";
import type { Catalog } from "../catalog/catalog.ts";
import { fromTools } from "../importers/from-tools.ts";
import { inertText } from "../record/inert-text.ts";
import type { ResourceInput } from "../record/resource-record.ts";
import {
  jsonSchemaOf,
  parseByLibrary,
  readForeignTools,
  type ForeignTool,
  type ForeignTools,
} from "./tool-forms.ts";

/** How tools are deferred. */
export interface DeferToolsOptions {
  /** Runs a tool that came without a function, as those of OpenAI and Anthropic do; `input` is checked. */
  call?: ((name: string, input: unknown, options: unknown) => unknown) | undefined;
  /** Tools in an answer of `find_tools` where the model does not say; 25 where absent. */
  limit?: number | undefined;
}

/** What a model gets in place of a result, with what it needs for the next try. */
interface DeferredToolError {
  error: {
    code: "invalid_input" | "unknown_tool" | "invalid_arguments" | "not_callable" | "tool_failed";
    message: string;
    /** Names that are like the unknown one. */
    nearest?: string[] | undefined;
    /** JSON Schema that the arguments do not fit. */
    inputSchema?: object | undefined;
  };
}

/** A schema by the Standard Schema interface, with its JSON Schema, as the AI SDK takes it. */
interface StandardInputSchema {
  readonly "~standard": {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (value: unknown) => StandardResult | Promise<StandardResult>;
    readonly jsonSchema: {
      readonly input: (options: { target: string }) => Record<string, unknown>;
      readonly output: (options: { target: string }) => Record<string, unknown>;
    };
  };
}

type StandardResult =
  | { value: unknown; issues?: undefined }
  | { issues: readonly { message: string }[] };

/** The three tools in the form of each client, whatever the deferred tools came in. */
export interface DeferredTools {
  /** For `tools` of `generateText` and `streamText`. */
  aiSdk: Record<
    "find_tools" | "describe_tools" | "call_tool",
    {
      description: string;
      inputSchema: StandardInputSchema;
      execute(input: unknown, options: unknown): Promise<unknown>;
    }
  >;
  /** For chat completions; run what the model calls by `call`. */
  openai: {
    type: "function";
    function: { name: string; description: string; parameters: Record<string, unknown> };
  }[];
  /** For messages; run what the model calls by `call`. */
  anthropic: {
    name: string;
    description: string;
    input_schema: { type: "object"; [member: string]: unknown };
  }[];
  /** `langchain.map(({ func, ...fields }) => tool(func, fields))` with LangChain's `tool`. */
  langchain: {
    name: string;
    description: string;
    schema: Record<string, unknown>;
    func(input: unknown, options?: unknown): Promise<unknown>;
  }[];
  /**
   * Runs one of the three by its name; `input` is an object or its JSON. Mistakes of the model and errors of a tool
   * resolve to a `DeferredToolError`; only an abort rejects.
   */
  call(name: string, input: unknown, options?: unknown): Promise<unknown>;
}

const findInput = z.object({
  query: z.string().min(1).max(2_000).describe("What you want to do, in words."),
  limit: z.number().int().min(1).max(50).exactOptional(),
});
const describeInput = z.object({ names: z.array(z.string().max(200)).min(1).max(10) });
const callInput = z.object({
  name: z.string().max(200),
  input: z.record(z.string(), z.unknown()).describe("Arguments by the tool's schema."),
});

/**
 * Three tools in place of many: a model finds tools by words, reads the schemas of those it wants, and calls one; the
 * arguments are checked before the call.
 * @throws CatalogError `invalid_options` for a tool without a name, or two of one name
 */
export function deferTools(tools: ForeignTools, options: DeferToolsOptions = {}): DeferredTools {
  const foreign = new Map(readForeignTools(tools).map((tool) => [tool.name, tool]));
  const { limit: usual = 25 } = options;
  let opening: Promise<Catalog> | undefined;
  const catalog = (): Promise<Catalog> => (opening ??= openCatalog([...foreign.values()]));

  const find = async ({ query, limit }: z.infer<typeof findInput>): Promise<string> => {
    const opened = await catalog();
    const { hits } = await opened.search({ text: query, limit: limit ?? usual });
    const { items } = await opened.details(hits.map(({ id }) => id));
    const lines = items.map(({ title, description = "", columns = [] }) => {
      const names = columns
        .filter(({ name }) => !/[.[]/.test(name))
        .map(({ name, nn }) => (nn === true ? name : `${name}?`));
      return inertText(`${title}(${names.join(", ")}): ${inertText(description, 120)}`, 300);
    });
    return lines.length === 0 ? "[nothing found; try other words]" : lines.join("\n");
  };
  const nearest = async (name: string): Promise<DeferredToolError> => {
    const found = await (await catalog()).search({ text: name, limit: 3 });
    const names = found.hits.map(({ id }) => id.slice(idPrefix.length));
    const message = `There is no tool ${JSON.stringify(inertText(name, 80))}; find_tools gives the names.`;
    return { error: { code: "unknown_tool", message, nearest: names } };
  };
  const describe = async ({ names }: z.infer<typeof describeInput>): Promise<unknown> =>
    Promise.all(
      names.map(async (name) => {
        const tool = foreign.get(name);
        if (tool === undefined) return nearest(name);
        const inputSchema = await jsonSchemaOf(tool.schema);
        return { name, description: tool.description, inputSchema };
      }),
    );
  const call = async (
    { name, input }: z.infer<typeof callInput>,
    context: unknown,
  ): Promise<unknown> => {
    const tool = foreign.get(name);
    if (tool === undefined) return nearest(name);
    const checked = await checkedInput(tool, input);
    if ("error" in checked) return checked;
    const run = tool.call ?? options.call?.bind(undefined, name);
    if (run === undefined)
      return failed("not_callable", `${name} has no function here; it can only be described.`);
    try {
      return await run(checked.value, context);
    } catch (error) {
      if (isAborted(error, context)) throw error;
      const reason = error instanceof Error ? error.message : String(error);
      return failed("tool_failed", `${name} failed: ${inertText(reason, 500)}`);
    }
  };

  const fixed = [
    fixedTool("find_tools", {
      description: `Finds tools among ${foreign.size} by what you want to do. One line each, best first: name(arguments, ? if optional): what it does.`,
      schema: findInput,
      run: find,
    }),
    fixedTool("describe_tools", {
      description: "Gives the whole descriptions and JSON Schemas of tools by their names.",
      schema: describeInput,
      run: describe,
    }),
    fixedTool("call_tool", {
      description: "Calls a tool that find_tools found. Wrong arguments come back with the schema.",
      schema: callInput,
      run: call,
    }),
  ] as const;
  const byName = new Map<string, FixedTool>(fixed.map((tool) => [tool.name, tool]));
  const [finder, describer, caller] = fixed;
  return {
    aiSdk: {
      find_tools: aiSdkForm(finder),
      describe_tools: aiSdkForm(describer),
      call_tool: aiSdkForm(caller),
    },
    openai: fixed.map(({ name, description, parameters }) => ({
      type: "function",
      function: { name, description, parameters },
    })),
    anthropic: fixed.map(({ name, description, parameters }) => ({
      name,
      description,
      input_schema: { ...parameters, type: "object" },
    })),
    langchain: fixed.map(({ name, description, parameters, execute }) => ({
      name,
      description,
      schema: parameters,
      func: execute,
    })),
    async call(name, input, context) {
      const tool = byName.get(name);
      if (tool !== undefined) return tool.execute(input, context);
      return failed("unknown_tool", `There is no ${inertText(name, 80)}; call call_tool with it.`);
    },
  };
}

interface FixedTool {
  name: string;
  description: string;
  parameters: Record<string, unknown>;
  schema: z.ZodType<unknown>;
  execute(input: unknown, options?: unknown): Promise<unknown>;
}

function fixedTool<Input>(
  name: string,
  {
    description,
    schema,
    run,
  }: {
    description: string;
    schema: z.ZodType<Input>;
    run: (input: Input, options: unknown) => Promise<unknown>;
  },
): FixedTool {
  const { $schema: _, ...parameters } = z.toJSONSchema(schema, { io: "input" });
  return {
    name,
    description,
    parameters,
    schema,
    async execute(input, options) {
      const given = typeof input === "string" ? parseJson(input) : input;
      const parsed = schema.safeParse(given);
      if (parsed.success) return run(parsed.data, options);
      return failed("invalid_input", `${name}: ${inertText(z.prettifyError(parsed.error), 400)}`);
    },
  };
}

function aiSdkForm({
  description,
  schema,
  execute,
}: FixedTool): DeferredTools["aiSdk"]["call_tool"] {
  return { description, inputSchema: schema, execute };
}

const idPrefix = "skill:";

async function openCatalog(tools: readonly ForeignTool[]): Promise<Catalog> {
  const opened = createCatalog();
  const resources = await Promise.all(
    tools.map(async ({ name, description, schema }): Promise<ResourceInput[]> => {
      const inputSchema = await jsonSchemaOf(schema);
      const [resource] = fromTools([{ name, description, inputSchema }]);
      if (resource === undefined) return [];
      const { uri: _, usage: __, ...fields } = resource;
      return [{ ...fields, id: idPrefix + name, title: name, container: serverOf(name) }];
    }),
  );
  await opened.register(resources.flat());
  return opened;
}

/** `github` of `github__create_issue` and `github/create_issue`; a tool without one stands alone. */
function serverOf(name: string): string {
  const [, server] = /^(.+?)(?:__|[/.:])/.exec(name) ?? [];
  return server ?? name;
}

async function checkedInput(
  { name, schema }: ForeignTool,
  input: unknown,
): Promise<{ value: unknown } | DeferredToolError> {
  const parsed = await parseByLibrary(schema, input);
  if (parsed !== undefined && "value" in parsed) return parsed;
  const inputSchema = await jsonSchemaOf(schema);
  const issues = parsed?.issues ?? issuesOf(inputSchema, input);
  if (issues.length === 0) return { value: input };
  const problems = issues.slice(0, 5).map(({ path, message }) => {
    const steps = Array.isArray(path) ? path.map((step) => stepOf(step)).join(".") : "";
    return steps === "" ? message : `${steps}: ${message}`;
  });
  const message = `The arguments of ${name} do not fit: ${inertText(problems.join("; "), 600)}`;
  return { error: { code: "invalid_arguments", message, inputSchema } };
}

function stepOf(step: unknown): string {
  return isRecord(step) ? String(step["key"]) : String(step);
}

function issuesOf(schema: object, input: unknown): readonly { message: string; path?: unknown }[] {
  const result = createJsonSchemaChecker(withoutUndefined({ ...schema }))(input);
  return result.ok ? [] : result.issues;
}

function failed(code: DeferredToolError["error"]["code"], message: string): DeferredToolError {
  return { error: { code, message } };
}

/** AI SDK and LangChain name their signals differently. */
function isAborted(error: unknown, context: unknown): boolean {
  const signals = isRecord(context) ? [context["signal"], context["abortSignal"]] : [];
  return (
    signals.some((signal) => signal instanceof AbortSignal && signal.aborted) ||
    (error instanceof Error && error.name === "AbortError")
  );
}
