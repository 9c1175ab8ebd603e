import { failure, type Issue, type Result, sha256Hex, success } from "@ccl/core";

import type { ContextBlock } from "../../context/context-block.ts";
import type { ContextRequest } from "../../plan/plan.ts";
import { type ReadFile, remarksOn, type ValidAction, type ValidPlan } from "../../validate/valid-plan.ts";
import type {
  AppliedPlan,
  FulfilledContext,
  PlanPreview,
  PlanWorkspace,
  PreviewedChange,
} from "../../workspace/plan-workspace.ts";

/** A workspace in memory, and what was asked of it. */
export interface MemoryWorkspace extends PlanWorkspace {
  readonly files: Map<string, string>;
  readonly reads: ContextRequest[];
  /** What the next calls of `apply` answer instead of applying. */
  readonly refusals: Issue[][];
}

/** Files by path. Applies plans in memory. */
export function createMemoryWorkspace(initial: Readonly<Record<string, string>> = {}): MemoryWorkspace {
  const files = new Map(Object.entries(initial));
  const readSet = new Map<string, ReadFile>();
  const reads: ContextRequest[] = [];
  const refusals: Issue[][] = [];
  let transactions = 0;

  function readBlock(request: ContextRequest): ContextBlock {
    if (request.type === "env") return { type: "env", label: "env", text: "node v20" };
    if (request.type === "logs") return { type: "logs", label: request.source, text: `log of ${request.source}` };
    if (request.type === "search") {
      const hits = [...files].filter(([, text]) => text.includes(request.query)).map(([path]) => path);
      return { type: "search", label: request.query, text: hits.join("\n") };
    }
    const { path, start_line: start = 1, end_line: end } = request;
    const text = files.get(path);
    if (text === undefined) return { type: "read_file", label: path, text: "Not read: PATH_NOT_FOUND." };
    const sha256 = sha256Hex(text);
    readSet.set(path, { sha256, text });
    const isRange = request.start_line !== undefined || end !== undefined;
    const lines = text.split(/(?<=\n)/).slice(start - 1, end);
    return { type: "read_file", label: isRange ? `${path}:${start}-${end}` : path, text: lines.join(""), sha256 };
  }

  function after(action: ValidAction): Result<string | undefined> {
    const base = files.get(action.path);
    const missing = { code: "PATH_NOT_FOUND", path: [action.path], message: `${action.path} is not there.` };
    if (action.kind === "CREATE_DIR" || action.kind === "DELETE_DIR") return success(undefined);
    if (action.kind === "DELETE_FILE" && base !== undefined) return success(undefined);
    if (action.kind === "CREATE_FILE" && base !== undefined)
      return failure({ code: "ERR_TARGET_EXISTS", path: [action.path], message: `${action.path} exists.` });
    if (action.kind === "CREATE_FILE") return success(action.content);
    if (base === undefined || action.kind === "MOVE_FILE" || !("base_sha256" in action)) return failure(missing);
    if (sha256Hex(base) !== action.base_sha256)
      return failure({ code: "ERR_BASE_MISMATCH", path: ["actions", 0], message: `${action.path} has changed.` });
    return success(action.content);
  }

  async function preview(plan: ValidPlan): Promise<Result<PlanPreview>> {
    const issues: Issue[] = [];
    const changes = plan.actions.map((action): PreviewedChange => {
      const result = after(action);
      if (!result.ok) issues.push(...result.issues);
      const { kind, path } = action;
      return { kind, path, target: path, diff: "", addedLines: 0, removedLines: 0, risks: [] };
    });
    if (issues.length > 0) return { ok: false, issues };
    const needsConfirmation = plan.actions.some(({ kind }) => kind.startsWith("DELETE"));
    const planHash = sha256Hex(JSON.stringify(plan.actions));
    return success({ planHash, changes, remarks: remarksOn(plan), needsConfirmation });
  }

  return {
    files,
    reads,
    refusals,
    readSet,
    async read(requests): Promise<FulfilledContext> {
      reads.push(...requests);
      const isMissing = (it: ContextRequest): boolean => it.type === "read_file" && !files.has(it.path);
      const issues = requests.filter(isMissing).map((request) => ({
        request,
        code: "PATH_NOT_FOUND",
        message: `${request.type === "read_file" ? request.path : ""} is not there.`,
      }));
      return { blocks: requests.map(readBlock), issues };
    },
    preview,
    async apply(plan): Promise<Result<AppliedPlan>> {
      const refused = refusals.shift();
      if (refused !== undefined) return { ok: false, issues: refused };
      const checked = await preview(plan);
      if (!checked.ok) return checked;
      const changes = plan.actions.map((action) => {
        const result = after(action);
        if (result.ok && result.value !== undefined) files.set(action.path, result.value);
        else files.delete(action.path);
        return { kind: action.kind, path: action.path };
      });
      transactions += 1;
      return success({ transactionId: `transaction-${transactions}`, changes, checks: [], rewrittenPaths: [] });
    },
  };
}
