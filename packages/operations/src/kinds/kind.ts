import { type Complete, LanguageModelError, redactSecrets, systemClock } from "@ccl/core";
import { backoffDelay, sleep, withTimeout } from "@ccl/core/async";
import { isRecord } from "@ccl/core/json";
import { StructuredOutputError } from "@ccl/structured-output/json-schema";
import { z } from "zod";

import type {
  EmittedEffect,
  OperationEffect,
  WriteArtifactParams,
} from "../effects/operation-effect.ts";
import { defaultRenderer } from "../liquid/create-template-renderer.ts";
import { messageOf } from "../operation/message-of.ts";
import type { BuiltinOperationsOptions } from "./kind-options.ts";
import { holdsToken, mapTexts } from "./mask-tokens.ts";
import { modelErrorCode, OperationError, type OperationErrorOptions } from "./operation-error.ts";
import { templateScopeOf } from "./template-scope-of.ts";
import type {
  OperationContext,
  OperationDebug,
  OperationErrorCode,
  OperationHandler,
} from "../operation/operation-definition.ts";
import { emitShape, writeArtifactShape } from "../effects/effect-shape.ts";

/** The failures that an operation can retry. `rate_limit` is the code `rate_limited`. */
type RetryCause = "timeout" | "provider_error" | "rate_limit" | "output_parse_error";

/** How often and when an operation retries. */
export interface RetryParams {
  /** Total number of attempts, including the first: from 1 to 10. */
  maxAttempts: number;
  /**
   * Maximum delay before the second attempt, in milliseconds. Doubles before each later one. Each delay is random, from
   * 0 to that limit. Defaults to 500.
   */
  backoffMs?: number | undefined;
  /** Defaults to `timeout`, `provider_error` and `rate_limit`. */
  retryOn?: RetryCause[] | undefined;
}

const retrySchema = z.strictObject({
  maxAttempts: z.int().min(1).max(10),
  backoffMs: z.exactOptional(z.int().min(0).max(600_000)),
  retryOn: z.exactOptional(
    z.array(z.enum(["timeout", "provider_error", "rate_limit", "output_parse_error"])),
  ),
});

const defaultCauses: readonly string[] = ["timeout", "provider_error", "rate_limit"];
const maxBackoffMs = 60_000;

/** A failed attempt. */
interface FailedAttempt extends OperationErrorOptions {
  /** Counts from 1. */
  number: number;
  code: OperationErrorCode;
}

/** Decides whether to try again. */
export interface RetryChances {
  maxAttempts?: number | undefined;
  backoffMs?: number | undefined;
  retryOn?: readonly string[] | undefined;
  random: () => number;
  nowMs: number;
  deadlineAt: number | undefined;
}

/** Returns the delay before the next attempt, always less than the deadline. Undefined if there is no next attempt. */
export function nextDelay(
  { number, code, isTransient, retryAfterMs = 0 }: FailedAttempt,
  { maxAttempts = 1, backoffMs = 500, retryOn = defaultCauses, ...chances }: RetryChances,
): number | undefined {
  const cause = code === "rate_limited" ? "rate_limit" : code;
  if (number >= maxAttempts || isTransient === false || !retryOn.includes(cause)) return undefined;
  const { random, nowMs, deadlineAt = Infinity } = chances;
  const drawnMs = backoffDelay(number - 1, { firstMs: backoffMs, maxMs: maxBackoffMs, random });
  const delayMs = Math.max(drawnMs, retryAfterMs);
  return nowMs + delayMs >= deadlineAt ? undefined : delayMs;
}

/** Where a result goes. */
export interface ResultParams {
  /** Stores the value as `art.<tag>`. */
  writeArtifact?: WriteArtifactParams | undefined;
  /** Effects that use the result's text as their content. */
  emit?: EmittedEffect[] | undefined;
}

/** Parameters of a kind that renders its request, calls something the application supplied, and produces a result. */
export interface CallParams extends ResultParams {
  /** If true, a variable that does not exist is `template_render_error`. */
  strictVariables?: boolean | undefined;
  /** Time limit of each attempt. By default only the run's limit applies. */
  timeoutMs?: number | undefined;
  /** Defaults to one attempt. */
  retry?: RetryParams | undefined;
}

/** The schemas of optional parameters. */
type OptionalShape<Params> = {
  [Name in keyof Params]-?: z.ZodExactOptional<z.ZodType<Exclude<Params[Name], undefined>>>;
};

/** Parameters shared by all kinds that produce a result. */
export const resultShape: OptionalShape<ResultParams> = {
  writeArtifact: z.exactOptional(writeArtifactShape),
  emit: z.exactOptional(emitShape),
};

/** Parameters shared by all kinds that call something. */
export const callShape: OptionalShape<CallParams> = {
  strictVariables: z.exactOptional(z.boolean()),
  timeoutMs: z.exactOptional(z.int().min(1)),
  retry: z.exactOptional(retrySchema),
  ...resultShape,
};

/** Options for the handlers of all kinds. */
export interface KindOptions extends BuiltinOperationsOptions {
  /** Waits between attempts. Defaults to a timer. */
  sleep?: ((ms: number, signal: AbortSignal) => Promise<void>) | undefined;
}

/** A kind of operation: the schema of its parameters, and the factory of its handlers. */
export interface Kind {
  params: z.ZodType;
  /**
   * Creates a handler that never throws. Its outcome has one of the closed codes, or `aborted` if the run was aborted.
   */
  createHandler(options: KindOptions): OperationHandler;
}

/** One execution of an operation, as the kind's code sees it. */
export interface KindRun<Params> {
  context: OperationContext;
  params: Params;
  /** Filled during the work, and kept if the work fails. */
  debug: Complete<OperationDebug>;
  /** Renders Liquid over the operation's scope. Throws `template_render_error`. */
  render(template: string, more?: { value: unknown }): string;
  /**
   * Calls something the application supplied, and retries as `retry` specifies. Never retries after an abort, or if the
   * delay would reach the deadline. Throws the last failure, with the code `otherwise` (defaults to `provider_error`)
   * if it has none.
   */
  attempt<Value>(
    call: (signal: AbortSignal) => Promise<Value>,
    otherwise?: OperationErrorCode,
  ): Promise<Value>;
}

/** The result of an operation's work. */
export interface KindResult {
  /** The value for `writeArtifact`. */
  value: unknown;
  /** The content of each `emit`. */
  text: string;
  effects?: OperationEffect[] | undefined;
}

/** Creates a kind from its parameter schema and its work. Calls `prepare` once per handler. */
export function createKind<Params extends CallParams>(
  params: z.ZodType<Params>,
  prepare: (options: KindOptions) => (run: KindRun<Params>) => Promise<KindResult>,
): Kind {
  const createHandler = (options: KindOptions): OperationHandler => {
    const work = prepare(options);
    return async (context) => {
      const { signal, config } = context;
      const debug: Complete<OperationDebug> = { inputsSummary: {}, outputsSummary: {} };
      const mask = maskFor(config.params["credentialRef"]);
      const shown = (): OperationDebug => {
        const masked = mapTexts(debug, mask, (key) => key);
        return isRecord(masked) ? masked : {};
      };
      try {
        signal.throwIfAborted();
        const read = readParams(params, context);
        const result = await work({
          context,
          params: read,
          debug,
          ...toolsOf(read, context, options),
        });
        const effects = [...resultEffects(read, result), ...(result.effects ?? [])];
        return { status: "done", effects, debug: shown() };
      } catch (error) {
        if (signal.aborted) return { status: "aborted", debug: shown() };
        const { code, message, options: more } = operationErrorOf(error, "internal_error");
        const details = mapTexts(more.details, mask);
        return {
          status: "error",
          error: { code, message: mask(message), details },
          debug: shown(),
        };
      }
    };
  };
  return { params, createHandler };
}

const shortestSecret = 4;

/** Returns a function that masks secrets and the credential reference. */
function maskFor(credentialRef: unknown): (text: string) => string {
  const isKnown = typeof credentialRef === "string" && credentialRef.length >= shortestSecret;
  return (text) =>
    redactSecrets(isKnown ? text.replaceAll(credentialRef, "[redacted:credential]") : text).text;
}

const maxIssues = 20;

/** Reads the parameters. Throws `validation_error` with all issues, or `policy_error` for a forbidden effect. */
function readParams<Params extends CallParams>(
  schema: z.ZodType<Params>,
  context: OperationContext,
): Params {
  const { params } = context.config;
  if (holdsToken(params)) {
    const message =
      "The parameters contain what looks like a key or a token; store it elsewhere and pass a reference to it.";
    throw new OperationError("validation_error", message);
  }
  const parsed = schema.safeParse(params);
  if (parsed.success) {
    const { writeArtifact, emit = [] } = parsed.data;
    const types = emit.map(({ type }): string => type);
    requireAllowed(writeArtifact === undefined ? types : ["artifact.upsert", ...types], context);
    return parsed.data;
  }
  const issues = parsed.error.issues
    .slice(0, maxIssues)
    .map(({ path, message }) => ({ path: path.join("."), message }));
  const lines = issues.map(
    ({ path, message }) => `${path === "" ? "params" : `params.${path}`}: ${message}`,
  );
  const message = `The parameters do not fit the kind: ${lines.join("; ")}.`;
  throw new OperationError("validation_error", message, { details: { issues } });
}

/** Throws `policy_error` if the hook disallows any of these effect types. */
function requireAllowed(types: readonly string[], { policy, hook }: OperationContext): void {
  const refused = types.filter((type) => !policy.allowedEffects.includes(type));
  if (refused.length === 0) return;
  const message = `Effects of type ${refused.join(", ")} are not allowed in ${hook}.`;
  throw new OperationError("policy_error", message);
}

/** Returns the effects of a result: its value under the tag, and its text as the content of each `emit`. */
function resultEffects(
  { writeArtifact, emit = [] }: CallParams,
  { value, text }: KindResult,
): OperationEffect[] {
  const write: OperationEffect[] =
    writeArtifact === undefined ? [] : [{ type: "artifact.upsert", ...writeArtifact, value }];
  return [...write, ...emit.map((effect): OperationEffect => ({ ...effect, content: text }))];
}

function toolsOf(
  { strictVariables = false, timeoutMs, retry }: CallParams,
  context: OperationContext,
  options: KindOptions,
): Pick<KindRun<CallParams>, "render" | "attempt"> {
  const { signal, deadlineAt } = context;
  const { clock = systemClock, random = Math.random } = options;
  const onTimeout = (): Error =>
    new OperationError("timeout", `The attempt took longer than ${timeoutMs} ms.`);
  let scope: ReturnType<typeof templateScopeOf> | undefined;
  return {
    render(template, more) {
      scope ??= templateScopeOf(context);
      const text = defaultRenderer().render(template, { ...scope, ...more }, { strictVariables });
      if (text.ok) return text.value;
      const message = text.issues.map((issue) => issue.message).join(" ");
      throw new OperationError("template_render_error", message);
    },
    async attempt(call, otherwise = "provider_error") {
      for (let number = 1; ; number += 1) {
        try {
          return await withTimeout(call, { signal, timeoutMs, onTimeout });
        } catch (error) {
          signal.throwIfAborted();
          const failure = operationErrorOf(error, otherwise);
          const { code, message, options: more } = failure;
          const nowMs = clock.now();
          const delayMs = nextDelay(
            { number, code, ...more },
            { ...retry, random, nowMs, deadlineAt },
          );
          if (delayMs === undefined) throw failure;
          context.onRetry?.({ code, message });
          if (delayMs > 0) await (options.sleep ?? sleep)(delayMs, signal);
          signal.throwIfAborted();
        }
      }
    },
  };
}

const transientCodes: ReadonlySet<string> = new Set<LanguageModelError["code"]>([
  "timeout",
  "rate_limited",
  "provider_error",
  "network_error",
]);

/** Converts any thrown value. Drops causes, since they may contain requests. */
function operationErrorOf(error: unknown, otherwise: OperationErrorCode): OperationError {
  if (error instanceof OperationError) return error;
  if (StructuredOutputError.isInstance(error))
    return new OperationError("validation_error", error.message);
  if (!LanguageModelError.isInstance(error)) return new OperationError(otherwise, messageOf(error));
  const { code, message, retryAfterMs, status } = error;
  const isTransient = transientCodes.has(code);
  const details = { reason: code, status };
  return new OperationError(modelErrorCode(code), message, { details, retryAfterMs, isTransient });
}

/** Looks up something the application supplied, by name. Throws `validation_error`. */
export function lookUp<Value>(
  what: string,
  given: Readonly<Record<string, Value>> | undefined,
  name: string,
): Value {
  const found = given !== undefined && Object.hasOwn(given, name) ? given[name] : undefined;
  if (found !== undefined) return found;
  const message = `There is no ${what} ${JSON.stringify(name)}; pass it in, or correct the name.`;
  throw new OperationError("validation_error", message);
}
