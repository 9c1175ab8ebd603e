import { isRecord, jsonText, withoutUndefined } from "@ccl/core/json";
import { parseStructured, StructuredOutputError } from "@ccl/structured-output";
import * as z from "zod";

import { objectSchema } from "../schema/schema-columns.ts";
import { inertText } from "../record/inert-text.ts";
import { createToolSearch } from "./tool-search.ts";
import {
  isStandard,
  jsonSchemaOf,
  readForeignTools,
  reasonsOf,
  type ForeignTool,
  type ForeignTools,
} from "./tool-forms.ts";

/** Options for deferred tools. */
export interface DeferToolsOptions {
  /** Runs a tool without a function, as in OpenAI and Anthropic formats. `input` has been checked. */
  call?: ((name: string, input: unknown, options: unknown) => unknown) | undefined;
  /**
   * Number of successful calls by tool. It may grow. `find_tools` ranks tools with a larger share
   * of the calls higher.
   */
  uses?: Pick<ReadonlyMap<string, number>, "get"> | undefined;
}

/** The answer to a failed call, with what the model needs to try again. */
interface DeferredToolError {
  error: {
    code: "invalid_input" | "unknown_tool" | "invalid_arguments" | "not_callable" | "tool_failed";
    message: string;
    /** Names similar to the unknown one. */
    nearest?: string[] | undefined;
    /** The JSON Schema that the arguments do not match. */
    inputSchema?: object | undefined;
  };
}

/** A Standard Schema with its JSON Schema, as the AI SDK accepts it. */
interface StandardInputSchema {
  "~standard": {
    version: 1;
    vendor: string;
    validate: (value: unknown) => StandardResult | Promise<StandardResult>;
    jsonSchema: {
      input: (options: { target: string }) => Record<string, unknown>;
      output: (options: { target: string }) => Record<string, unknown>;
    };
  };
}

type StandardResult =
  | { value: unknown; issues?: undefined }
  | { issues: readonly { message: string }[] };

/** The three tools in the format of each client, whatever the format of the deferred tools. */
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
  /** For chat completions. Run the model's calls with `call`. */
  openai: {
    type: "function";
    function: { name: string; description: string; parameters: Record<string, unknown> };
  }[];
  /** For messages. Run the model's calls with `call`. */
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
   * Runs one of the three tools by name. `input` is an object or its JSON text. A mistake of the
   * model or an error of a tool resolves to a `DeferredToolError`. Only an abort rejects.
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
  input: z.record(z.string(), z.unknown()).default({}).describe("Arguments by the tool's schema."),
});

/**
 * Replaces many tools with three. A model searches the tools by words, reads the schemas that it needs, and calls
 * a tool. The arguments are checked before the call.
 * @throws CatalogError `invalid_options` for a tool without a name, or for two with the same name
 */
export function deferTools(tools: ForeignTools, options: DeferToolsOptions = {}): DeferredTools {
  const all = readForeignTools(tools);
  const foreign = new Map(all.map((tool) => [tool.name, tool]));
  const search = createToolSearch(all, options.uses);
  const find = async ({ query, limit = 25 }: z.infer<typeof findInput>): Promise<string> => {
    const { tools: found, isMatch } = await search(query, limit);
    const note = isMatch ? [] : [`[no tool has these words; there are ${all.length}:]`];
    return [...note, ...(await Promise.all(found.map(toolLine)))].join("\n");
  };
  const nearest = async (name: string): Promise<DeferredToolError> => {
    const { tools: found, isMatch } = await search(name, 3);
    const message = `There is no tool ${JSON.stringify(inertText(name, 80))}; find_tools gives the names.`;
    const names = found.map((tool) => tool.name);
    return { error: { code: "unknown_tool", message, nearest: isMatch ? names : [] } };
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
    fixedTool(
      "find_tools",
      `Finds tools among ${all.length} by what you want to do. One line each, best first: name(arguments, ? if optional): what it does.`,
      findInput,
      find,
    ),
    fixedTool(
      "describe_tools",
      "Gives the whole descriptions and JSON Schemas of tools by their names.",
      describeInput,
      describe,
    ),
    fixedTool(
      "call_tool",
      "Calls a tool that find_tools found. Wrong arguments come back with the schema.",
      callInput,
      call,
    ),
  ] as const;
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
      const tool = fixed.find((candidate) => candidate.name === name);
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
  description: string,
  schema: z.ZodType<Input>,
  run: (input: Input, options: unknown) => Promise<unknown>,
): FixedTool {
  const { $schema: _, ...parameters } = z.toJSONSchema(schema, { io: "input" });
  return {
    name,
    description,
    parameters,
    schema,
    async execute(input, options) {
      // Models may encode the whole input, or parts of it, as JSON text.
      const text = typeof input === "string" ? input : jsonText(input);
      const read = parseStructured(text, { schema });
      if (read.ok) return run(read.value, options);
      return failed("invalid_input", `${name}: ${reasonsOf(read.issues)}`);
    },
  };
}

/** Renders `name(required, optional?): description`. Omits optional arguments if the line gets long. */
async function toolLine({ name, description, schema }: ForeignTool): Promise<string> {
  const { properties, required } = objectSchema(await jsonSchemaOf(schema));
  const shown = required.map((one) => inertText(one, 200));
  let room = 150 - shown.join(", ").length;
  for (const one of Object.keys(properties).filter((key) => !required.includes(key))) {
    if ((room -= one.length + 3) > 0) shown.push(`${inertText(one, 200)}?`);
    else if (shown.at(-1) !== "…") shown.push("…");
  }
  return `${inertText(name, 200)}(${shown.join(", ")}): ${inertText(description, 120)}`;
}

function aiSdkForm({
  description,
  schema,
  execute,
}: FixedTool): DeferredTools["aiSdk"]["call_tool"] {
  return { description, inputSchema: schema, execute };
}

async function checkedInput(
  { name, schema }: ForeignTool,
  input: unknown,
): Promise<{ value: unknown } | DeferredToolError> {
  const inputSchema = withoutUndefined({ ...(await jsonSchemaOf(schema)) });
  try {
    const validator = isStandard(schema) ? schema : inputSchema;
    const read = parseStructured(jsonText(input), { schema: validator });
    if (read.ok) return read;
    const message = `The arguments of ${name} do not fit: ${reasonsOf(read.issues)}`;
    return { error: { code: "invalid_arguments", message, inputSchema } };
  } catch (error) {
    // A schema that cannot be read accepts every input.
    if (StructuredOutputError.isInstance(error)) return { value: input };
    throw error;
  }
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
