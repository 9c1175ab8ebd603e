import { type Complete } from "@ccl/core";
import type { OperationEffect } from "../effects/operation-effect.ts";
import type { OperationContext } from "../operation/operation-context.ts";
import type { OperationHandler } from "../operation/operation-context.ts";
import type { OperationDebug, OperationOutcome } from "../operation/operation-outcome.ts";
import { OperationError } from "./operation-error.ts";
import { operationErrorOf } from "./operation-error-of.ts";
import { createScrub, type Scrub } from "./scrub.ts";

/** What a handler has done: its effects, or why it did nothing. */
export interface HandlerResult {
  effects: OperationEffect[];
  skippedReason?: string | undefined;
}

/** What a handler works with. */
export interface HandlerRun {
  context: OperationContext;
  /** Filled as the work goes on; kept when it fails. */
  debug: Complete<OperationDebug>;
  scrub: Scrub;
}

const maxMessageChars = 500;
const maxDetailsChars = 4_000;

/**
 * A handler that never throws: errors become outcomes with one of the closed codes, an abort of the run becomes
 * `aborted`. Messages and details are masked and cut; effects are masked by the engine, as those of any handler.
 */
export function createHandler(work: (run: HandlerRun) => Promise<HandlerResult>): OperationHandler {
  return async (context) => {
    const debug: Complete<OperationDebug> = { inputsSummary: {}, outputsSummary: {} };
    const { credentialRef } = context.config.params;
    const scrub = createScrub([typeof credentialRef === "string" ? credentialRef : undefined]);
    try {
      context.signal.throwIfAborted();
      const { effects, skippedReason } = await work({ context, debug, scrub });
      if (skippedReason !== undefined) return { status: "skipped", skippedReason, debug };
      return { status: "done", effects, debug };
    } catch (error) {
      return failed(error, { context, debug, scrub });
    }
  };
}

function failed(error: unknown, { context, debug, scrub }: HandlerRun): OperationOutcome {
  if (context.signal.aborted) return { status: "aborted", debug };
  const { code, message, options } = operationErrorOf(error);
  const details = options.details === undefined ? undefined : scrubbed(options.details, scrub);
  return {
    status: "error",
    error: {
      code,
      message: scrub(message, maxMessageChars),
      details,
    },
    debug,
  };
}

/** Details as JSON, masked; left out where they are too long or no JSON. */
function scrubbed(details: unknown, scrub: Scrub): unknown {
  try {
    const text = JSON.stringify(details);
    return text.length > maxDetailsChars ? undefined : JSON.parse(scrub(text, 2 * maxDetailsChars));
  } catch {
    return undefined;
  }
}

/** The text of a result. Throws `template_render_error`. */
export function rendered(
  result: { ok: true; value: string } | { ok: false; issues: { message: string }[] },
): string {
  if (result.ok) return result.value;
  throw new OperationError(
    "template_render_error",
    result.issues.map(({ message }) => message).join(" "),
  );
}
