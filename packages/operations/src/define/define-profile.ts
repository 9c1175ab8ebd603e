import { deepFreeze, withoutUndefined } from "@ccl/core/json";

import { tagPattern } from "../artifact/operation-artifact.ts";
import type { EmittedEffect } from "../effects/operation-effect.ts";
import type { ResultParams } from "../kinds/kind.ts";
import type {
  Hook,
  OperationCondition,
  OperationConfig,
} from "../operation/operation-definition.ts";
import { OperationsError } from "../operations-error.ts";
import type { OperationProfile } from "../profile/operation-profile.ts";
import {
  type DefinedProfile,
  type RegisteredOperation,
  withOperations,
} from "../profile/registered-operation.ts";
import type { OperationSettings, OperationSpec, ResultSettings } from "./operation-spec.ts";

/** A profile as written in code. */
export interface ProfileDraft extends Pick<OperationProfile, "description" | "version" | "turn"> {
  id: string;
  /** Display name. Defaults to the id. */
  name?: string | undefined;
  /** A new value starts without the state of earlier runs. Defaults to "1". */
  sessionId?: string | undefined;
  /**
   * Operations by name. The stored id is `<profile id>:<name>`. They run concurrently where possible. Effects are
   * applied in this order.
   */
  operations: Readonly<Record<string, OperationSpec>>;
}

/**
 * Builds a profile from operations created by `template`, `compute`, `llm` and the other constructors. The result is
 * the stored JSON record with its operations attached. `engine.start` accepts both.
 * @throws OperationsError `invalid_profile` for an unknown name
 */
export function defineProfile(draft: ProfileDraft): DefinedProfile {
  const { id, name = id, description, version, turn, sessionId = "1", operations } = draft;
  const specs = Object.entries(operations).map(([key, spec], index): NamedSpec => ({
    ...spec,
    key,
    operationId: `${id}:${key}`,
    index,
  }));
  const profile: OperationProfile = {
    profileId: id,
    name,
    enabled: true,
    operationProfileSessionId: sessionId,
    operations: specs.map((spec) => ({
      operationId: spec.operationId,
      config: configOf(spec, specs),
    })),
    ...withoutUndefined({ description, version, turn }),
  };
  return withOperations(deepFreeze(profile), specs.map(registeredOf));
}

interface NamedSpec extends OperationSpec {
  key: string;
  operationId: string;
  index: number;
}

function registeredOf({
  kind,
  key,
  operationId,
  settings,
  handler,
  createHandler,
}: NamedSpec): RegisteredOperation {
  const definition = { operationId, kind, name: settings.title ?? key };
  const writesTag = settings.tag ?? (tagPattern.test(key) ? key : undefined);
  return {
    definition: Object.freeze(kind === "custom" ? { ...definition, writesTag } : definition),
    handler,
    createHandler: createHandler && ((options) => createHandler(operationId, options)),
  };
}

function configOf(spec: NamedSpec, specs: readonly NamedSpec[]): OperationConfig {
  const { settings, operationId, index } = spec;
  const { required = true, order = index + 1, triggers, every } = settings;
  const hooks = hooksOf(settings);
  const { when, waitsFor } = conditionsOf(spec, specs);
  const named = (settings.dependsOn ?? []).map((key) => find(specs, key, spec));
  const dependsOn = [...new Set([...named, ...waitsFor].map((one) => one.operationId))];
  return withoutUndefined({
    enabled: true,
    required,
    hooks,
    order,
    triggers,
    dependsOn: dependsOn.length > 0 ? dependsOn : undefined,
    when,
    every,
    params: withoutUndefined({
      ...ownParams(settings),
      ...spec.params(operationId),
      ...resultOf(spec),
    }),
  });
}

/** Settings that are no parameters of the kind. */
const placement: ReadonlySet<string> = new Set<keyof ResultSettings | "schema" | "retriever">([
  "before",
  "after",
  "required",
  "order",
  "dependsOn",
  "when",
  "triggers",
  "every",
  "title",
  "appendTo",
  "emit",
  "tag",
  "artifact",
  "schema",
  "retriever",
]);

function ownParams(settings: ResultSettings): Record<string, unknown> {
  return Object.fromEntries(Object.entries(settings).filter(([key]) => !placement.has(key)));
}

function hooksOf({ after = false, before = !after }: OperationSettings): Hook[] {
  return [
    ...(before ? (["before_main_llm"] as const) : []),
    ...(after ? (["after_main_llm"] as const) : []),
  ];
}

function resultOf({ key, settings, writes }: NamedSpec): ResultParams {
  const { appendTo, emit = [], tag, artifact } = settings;
  const effects = [...(appendTo === undefined ? [] : [appending(appendTo)]), ...emit];
  const isAsked = writes === "always" || tag !== undefined || artifact !== undefined;
  const isOnly = writes !== "never" && effects.length === 0;
  const write = {
    tag: tag ?? key,
    persisted: true,
    usage: "prompt+ui",
    semantics: artifact?.append === true ? "log/feed" : "state",
  } as const;
  return {
    writeArtifact: isAsked || isOnly ? { ...write, ...artifact } : undefined,
    emit: effects.length > 0 ? effects : undefined,
  };
}

function appending(to: NonNullable<ResultSettings["appendTo"]>): EmittedEffect {
  return to === "system"
    ? { type: "prompt.system_update", mode: "append", separator: "\n\n" }
    : { type: "prompt.append_after_last_user", role: "system" };
}

/** Returns the conditions in stored form, and the operation that must end before they can be evaluated. */
function conditionsOf(
  spec: NamedSpec,
  specs: readonly NamedSpec[],
): { when: OperationCondition[] | undefined; waitsFor: NamedSpec[] } {
  const { when } = spec.settings;
  if (typeof when !== "string") return { when: when && [...when], waitsFor: [] };
  const not = when.startsWith("!");
  const [key = "", ...keys] = (not ? when.slice(1) : when).split(".");
  const writer = find(specs, key, spec);
  const ref = ["art", writer.settings.tag ?? key, ...keys].join(".");
  // An operation before the main call always ends before one that runs after it.
  const hooks = hooksOf(writer.settings);
  const isBeside = hooksOf(spec.settings).every((hook) => hooks.includes(hook));
  return { when: [not ? { ref, not } : { ref }], waitsFor: isBeside ? [writer] : [] };
}

function find(specs: readonly NamedSpec[], key: string, { key: from }: NamedSpec): NamedSpec {
  const found = specs.find((spec) => spec.key === key);
  if (found !== undefined) return found;
  const names = specs.map((spec) => spec.key).join(", ");
  const message = `Operation ${JSON.stringify(from)} names ${JSON.stringify(key)}, which the profile does not have; it has ${names}.`;
  throw new OperationsError("invalid_profile", message);
}
