export type { PlanIssueCode } from "./plan-issue.ts";
export { editFormatFor, renderEditPrompt } from "./any-format/edit-prompt.ts";
export type { EditFormat } from "./place/file-change.ts";
export { editedPaths, parseEdits } from "./any-format/parse-edits.ts";
export { defaultPlanLimits, type PlanLimits } from "./limits/plan-limits.ts";
export type { PlanMemory } from "./memory/plan-memory.ts";
export { parsePlan } from "./parse/parse-plan.ts";
export { checkPath } from "./paths/check-path.ts";
export { type PathAllowList, readPathAllowList } from "./paths/path-allow-list.ts";
export { PlanProtocolError, type PlanProtocolErrorCode } from "./plan-protocol-error.ts";
export type { Plan, PlanVersion } from "./plan/plan.ts";
export { planWireSchema } from "./schema/plan-schema.ts";
export { createPlanSession } from "./session/create-plan-session.ts";
export type { SavedPlan } from "./session/plan-cycle.ts";
export { detectMode } from "./session/detect-mode.ts";
export type {
  PlanSession,
  PlanSessionOptions,
  Proposal,
  ProposedPlan,
  ProposeOptions,
} from "./session/plan-session.ts";
export { createEditTools, type EditToolsOptions } from "./tools/create-edit-tools.ts";
export type { PlanEvent } from "./trace/plan-event.ts";
export { type PlanMode, type ValidPlan, withoutRemarks } from "./validate/valid-plan.ts";
export type { PlanPolicy } from "./paths/path-allow-list.ts";
export { validatePlan } from "./validate/validate-plan.ts";
export type {
  AppliedPlan,
  ApplyOptions,
  PlanCheck,
  PlanPreview,
  PlanWorkspace,
} from "./workspace/plan-workspace.ts";
export type { FileWorkspace, TransactionRecord } from "./workspace/file-workspace.ts";
