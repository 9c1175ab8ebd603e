import { type Issue, LanguageModelError } from "@ccl/core";

import { deepFreeze, valueAt } from "@ccl/core/json";

import { readJson } from "../artifact/copy-json.ts";
import { isLargerThan } from "../artifact/is-larger-than.ts";
import { effectShape } from "../effects/effect-shape.ts";
import {
  type OperationEffect,
  isArtifactEffect,
  problemOfWrite,
} from "../effects/operation-effect.ts";
import { maskTokensDeep } from "../kinds/mask-tokens.ts";
import { modelErrorCode } from "../kinds/operation-error.ts";
import { OperationsError } from "../operations-error.ts";
import { allowedEffects } from "../operation/allowed-effects.ts";
import { boundSummary } from "./bound-summary.ts";
import { messageOf } from "../operation/message-of.ts";
import { noEffects } from "./operation-record.ts";
import type { PlannedOperation } from "./plan-run.ts";
import { safeText } from "./safe-text.ts";
import type {
  OperationDebug,
  OperationErrorCode,
  OperationFailure,
  OperationOutcome,
  OperationStatus,
  SkippedReason,
} from "../operation/operation-definition.ts";

/** The validated outcome of an attempt. */
export interface CheckedOutcome {
  status: OperationStatus;
  /** Frozen copies. Empty unless the status is `done`. */
  effects: readonly OperationEffect[];
  error?: OperationFailure | undefined;
  skippedReason?: SkippedReason | undefined;
  debug?: OperationDebug | undefined;
}

const errorCodes: ReadonlySet<string> = new Set<OperationErrorCode>([
  "timeout",
  "rate_limited",
  "provider_error",
  "output_parse_error",
  "template_render_error",
  "budget_exceeded",
  "policy_error",
  "validation_error",
  "artifact_conflict",
  "dependency_failed",
  "idempotency_conflict",
  "internal_error",
  "worker_lost",
]);
const statuses: ReadonlySet<string> = new Set<OperationStatus>([
  "done",
  "skipped",
  "error",
  "aborted",
]);
const maxMessageChars = 512;
const detailLimits = { maxChars: 2_048, maxTextChars: 512 };

const noStatus = "The handler returned no outcome with a status.";
const nothingDone: CheckedOutcome = Object.freeze({ status: "done", effects: noEffects });

/** True for an error code that an operation may return. */
function isErrorCode(code: unknown): code is OperationErrorCode {
  return typeof code === "string" && errorCodes.has(code);
}

/** Creates a failed outcome with a message that is safe to show. */
export function failedOutcome(
  code: OperationErrorCode,
  message: string,
  details?: unknown,
): CheckedOutcome {
  const error: OperationFailure = { code, message: safeText(message, maxMessageChars) };
  const shown = boundSummary({ details }, detailLimits)?.["details"];
  if (shown !== undefined) error.details = shown;
  return { status: "error", effects: noEffects, error };
}

/** Validates the return value of a handler. */
export function checkOutcome(
  outcome: OperationOutcome,
  operation: PlannedOperation,
  maxEffectChars: number,
): CheckedOutcome {
  if (typeof outcome !== "object" || outcome === null)
    return failedOutcome("internal_error", noStatus);
  const { status, effects, debug } = outcome;
  const isEmpty = effects === undefined || (Array.isArray(effects) && effects.length === 0);
  if (status === "done" && isEmpty && debug === undefined) return nothingDone;
  if (!statuses.has(status)) return failedOutcome("internal_error", noStatus);
  if (status === "done" && isLargerThan(effects, maxEffectChars)) {
    const message = `The effects have more than ${maxEffectChars} characters of JSON; write less, or raise maxEffectChars.`;
    return { ...failedOutcome("budget_exceeded", message), debug };
  }
  if (status === "done") return { ...checkEffects(effects ?? noEffects, operation), debug };
  if (status === "error") return { ...failureOf(outcome.error), debug };
  const { skippedReason } = outcome;
  const hasReason = typeof skippedReason === "string" && status === "skipped";
  return {
    status,
    effects: noEffects,
    skippedReason: hasReason ? safeText(skippedReason, 100) : undefined,
    debug,
  };
}

/** Converts an error. Untyped handlers may return a string or an error that they have caught. */
function failureOf(error: unknown): CheckedOutcome {
  if (typeof error === "string") return failedOutcome("internal_error", error);
  const { code, message, details }: { code?: unknown; message?: unknown; details?: unknown } =
    typeof error === "object" && error !== null ? error : {};
  const text =
    typeof message === "string" ? message : "The handler returned an error without a message.";
  return failedOutcome(isErrorCode(code) ? code : "internal_error", text, details);
}

/** Creates the outcome for an error thrown by a handler. Drops its causes, since they may contain requests. */
export function outcomeOfThrown(error: unknown): CheckedOutcome {
  const code = LanguageModelError.isInstance(error)
    ? modelErrorCode(error.code)
    : operationCodeOf(error);
  return failedOutcome(code, messageOf(error));
}

/** Returns the code in the details of an error of this package. */
export function operationCodeOf(error: unknown): OperationErrorCode {
  const details = OperationsError.isInstance(error) ? error.details : undefined;
  const code = valueAt(details, ["operationCode"]);
  return isErrorCode(code) ? code : "internal_error";
}

function checkEffects(
  effects: readonly OperationEffect[],
  operation: PlannedOperation,
): CheckedOutcome {
  if (!Array.isArray(effects))
    return failedOutcome("validation_error", "The effects are not a list; pass an array.");
  const checked: OperationEffect[] = [];
  const writes: string[] = [];
  for (const [index, effect] of effects.entries()) {
    const read = readJson(effect, effectShape, maskTokensDeep);
    if (!read.ok) return failedOutcome("validation_error", describe(index, read.issues));
    const refusal = refusalOf(read.value, operation);
    if (refusal !== undefined) return failedOutcome(refusal.code, refusal.message);
    if (isArtifactEffect(read.value)) writes.push(read.value.tag);
    checked.push(deepFreeze(read.value));
  }
  if (writes.length > 1) {
    return failedOutcome(
      "policy_error",
      `An operation writes one artifact, once; this one returned ${writes.length} writes.`,
    );
  }
  return { status: "done", effects: Object.freeze(checked) };
}

function describe(index: number, issues: readonly Issue[]): string {
  const lines = issues
    .slice(0, 5)
    .map(({ path, message }) => `${path.length === 0 ? "it" : path.join(".")}: ${message}`);
  return `Effect ${index} can't be used; ${lines.join(" ")}`;
}

function refusalOf(
  effect: OperationEffect,
  { hook, tag }: PlannedOperation,
): { code: OperationErrorCode; message: string } | undefined {
  if (!allowedEffects[hook].includes(effect.type)) {
    return { code: "policy_error", message: `${effect.type} can't be committed in ${hook}.` };
  }
  if (!isArtifactEffect(effect)) return undefined;
  if (effect.tag !== tag) {
    const allowed = tag === undefined ? "it declares no tag" : `it declares art.${tag}`;
    return {
      code: "policy_error",
      message: `The operation can't write art.${effect.tag}: ${allowed}.`,
    };
  }
  const problem = problemOfWrite(effect);
  if (problem !== undefined)
    return { code: "validation_error", message: `art.${effect.tag}: ${problem.message}` };
  return undefined;
}
