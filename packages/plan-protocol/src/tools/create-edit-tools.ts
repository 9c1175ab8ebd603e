import type { Issue, ToolDefinition } from "@ccl/core";
import { TurnQueue } from "@ccl/core/async";
import { createJsonSchemaChecker, type JsonSchema } from "@ccl/structured-output/json-schema";

import { editedPaths } from "../any-format/parse-edits.ts";
import type { ContextRequest } from "../plan/plan.ts";
import { PlanProtocolError } from "../plan-protocol-error.ts";
import { remarksOn } from "../validate/valid-plan.ts";
import type { FileWorkspace } from "../workspace/file-workspace.ts";
import type { ApplyOptions, PlanPreview } from "../workspace/plan-workspace.ts";

/** How to apply the edits in a model's tool calls. */
export interface EditToolsOptions extends Pick<ApplyOptions, "checks" | "mustPass" | "mayFail"> {
  /** Called before an edit that deletes something. If absent, such edits are rejected. */
  confirm?: ((preview: PlanPreview) => boolean | Promise<boolean>) | undefined;
}

const text = (description: string): JsonSchema => ({ type: "string", description });
const line: JsonSchema = { type: "integer", minimum: 1 };
const path = text("Path relative to the project root, with forward slashes.");

/** An edit that cannot be undone must not keep earlier edits of other files from being undone. */
const SKIPPED =
  "\nundo_edit skips this edit from now on. To undo it, edit the file. Call undo_edit again to undo the edit before it.";

/** Tool definitions shown to the model. */
const TOOLS = {
  read_file: {
    description: "Returns a file's text, or only the lines from start_line to end_line.",
    properties: { path, start_line: line, end_line: line },
    required: ["path"],
  },
  str_replace: {
    description:
      "Replaces text in a file. old_str must occur exactly once, unless replace_all is true.",
    properties: {
      path,
      old_str: {
        ...text("The exact text to replace, with enough surrounding lines to make it unique."),
        minLength: 1,
      },
      new_str: text("The replacement text. Use an empty string to delete old_str."),
      replace_all: { type: "boolean", description: "Replace every occurrence of old_str." },
    },
    required: ["path", "old_str", "new_str"],
  },
  create_file: {
    description:
      "Creates a new file, along with any missing parent folders. Fails if the file exists.",
    properties: { path, file_text: text("The full content of the file.") },
    required: ["path", "file_text"],
  },
  apply_patch: {
    description: "Applies a patch to one or more files. Either all of it is applied or none.",
    properties: {
      patch: text("A patch in the form `*** Begin Patch ... *** End Patch`, or a unified diff."),
    },
    required: ["patch"],
  },
  undo_edit: {
    description:
      "Undoes the most recent edit made by these tools. Call it again to undo earlier ones.",
    properties: {},
    required: [],
  },
};

/**
 * Creates tools for an agent loop: `read_file`, `str_replace`, `create_file`, `apply_patch`, `undo_edit`. Each edit is
 * one workspace transaction, applied completely or not at all, and `undo_edit` rolls back the last one. Each call
 * returns text for the model. It starts with `Not done.` if the call was rejected. Calls run one at a time, in order.
 */
export function createEditTools(
  workspace: FileWorkspace,
  options: EditToolsOptions = {},
): ToolDefinition<unknown, string>[] {
  const applied: string[] = [];
  const turns = new TurnQueue(PlanProtocolError);
  const tool = <Input>(
    name: keyof typeof TOOLS,
    run: (input: Input, signal: AbortSignal | undefined) => Promise<string>,
  ): ToolDefinition<unknown, string> => {
    const { description, ...schema } = TOOLS[name];
    const inputSchema = { type: "object", ...schema, additionalProperties: false };
    const check = createJsonSchemaChecker<Input>(inputSchema);
    return {
      name,
      description,
      inputSchema,
      async execute(input, { signal }) {
        const checked = check(input);
        return checked.ok
          ? await turns.run(() => run(checked.value, signal), signal)
          : refused(
              checked.issues.map((issue) => {
                const message = `${["input", ...issue.path].join(".")}: ${issue.message}`;
                return { ...issue, message };
              }),
            );
      },
    };
  };
  const edit = (answer: string, signal: AbortSignal | undefined): Promise<string> =>
    applyAnswer(workspace, answer, { ...options, signal, applied });
  return [
    tool<{ path: string; start_line?: number; end_line?: number }>(
      "read_file",
      async (input, signal) => {
        const request: ContextRequest = { type: "read_file", ...input };
        const { blocks, issues } = await workspace.read([request], { signal });
        return issues.length > 0 ? refused(issues) : (blocks[0]?.text ?? "");
      },
    ),
    tool<object>("str_replace", (input, signal) =>
      edit(JSON.stringify({ command: "str_replace", ...input }), signal),
    ),
    tool<object>("create_file", (input, signal) =>
      edit(JSON.stringify({ command: "create", ...input }), signal),
    ),
    tool<{ patch: string }>("apply_patch", ({ patch }, signal) => edit(patch, signal)),
    tool<object>("undo_edit", async (_input, signal) => {
      const last = applied.at(-1);
      if (last === undefined) return "Not done. There are no edits to undo.";
      const undone = await workspace.rollback(last, { signal });
      if (!undone.ok && undone.issues[0]?.code === "RECOVERY_REQUIRED")
        return refused(undone.issues);
      applied.pop();
      return undone.ok
        ? `Restored: ${undone.value.paths.join(", ")}`
        : refused(undone.issues) + SKIPPED;
    }),
  ];
}

/**
 * Applies the edits, with the hash of their preview. If they delete something, `confirm` must approve it first. Returns
 * what changed, or why nothing did.
 */
async function applyAnswer(
  workspace: FileWorkspace,
  answer: string,
  {
    signal,
    applied,
    confirm,
    ...options
  }: EditToolsOptions & {
    signal: AbortSignal | undefined;
    /** Ids of the edits that can be undone. */
    applied: string[];
  },
): Promise<string> {
  const paths = editedPaths(answer, { root: workspace.root });
  const requests = paths.map((edited): ContextRequest => ({ type: "read_file", path: edited }));
  await workspace.read(requests, { signal });
  const edits = workspace.propose(answer);
  if (!edits.ok) return refused(edits.issues);
  const { plan } = edits.value;
  if (plan.actions.length === 0) return "Not done. The edit does not change any file.";
  const preview = await workspace.preview(plan, { signal });
  if (!preview.ok) return refused(preview.issues);
  const { planHash, needsConfirmation } = preview.value;
  if (needsConfirmation && (await confirm?.(preview.value)) !== true)
    return "Not done. CONFIRM_REQUIRED: The edit deletes files or folders, and the deletion was not confirmed.";
  const done = await workspace.apply(plan, { ...options, signal, confirm: planHash });
  if (!done.ok) return refused(done.issues);
  const { transactionId, changes, rewrittenPaths } = done.value;
  applied.push(transactionId);
  return [
    ...changes.map((change) => `${change.kind} ${change.path}`),
    ...remarksOn(plan),
    ...rewrittenPaths.map(
      (rewritten) => `A check modified ${rewritten}. Read it again before editing it.`,
    ),
  ].join("\n");
}

function refused(issues: readonly Pick<Issue, "code" | "message">[]): string {
  return `Not done. ${issues.map(({ code, message }) => `${code}: ${message}`).join("\n")}`;
}
