import type { BuiltinOperationsOptions } from "../kinds/kind-options.ts";
import type { EmittedEffect, WriteArtifactParams } from "../effects/operation-effect.ts";
import type { OperationCondition, OperationConfig } from "../operation/operation-config.ts";
import type { OperationHandler } from "../operation/operation-context.ts";
import type { OperationKind } from "../operation/operation-definition.ts";

/** When an operation of a profile runs; every field has a default. */
export interface OperationSettings extends Pick<OperationConfig, "triggers" | "every"> {
  /** Runs before the main call; default unless `after` is set. */
  before?: boolean | undefined;
  /** Runs after the main call, where templates see `main.text`. With `before: true` it runs in both places. */
  after?: boolean | undefined;
  /** Default true: before the main call a failure keeps the model from being called, after it the run counts as failed. */
  required?: boolean | undefined;
  /** Default the operation's place in the profile. */
  order?: number | undefined;
  /** Names of operations of the profile that end first, and whose results this one sees. */
  dependsOn?: readonly string[] | undefined;
  /**
   * Runs only if this holds: the name of an operation whose value has to be true, `!name` for false, or conditions as they
   * are stored. An operation that is named runs first.
   */
  when?: string | readonly OperationCondition[] | undefined;
  /** For people; default the operation's name in the profile. */
  title?: string | undefined;
}

/** Where the result of an operation goes. */
export interface ResultSettings extends OperationSettings {
  /** Adds the text to the prompt: behind the system prompt, or as a message behind the user's last one. */
  appendTo?: "system" | "user" | undefined;
  /** Any other effect that has the text as its content. */
  emit?: readonly EmittedEffect[] | undefined;
  /** Templates read the value as `art.<tag>`. Default the operation's name; without an artifact where only `appendTo` or `emit` is given. */
  tag?: string | undefined;
  /** Of the artifact: default it is persisted, `prompt+ui`, `state`. */
  artifact?: Partial<Omit<WriteArtifactParams, "tag">> | undefined;
}

/** An operation of a profile that is being defined; the constructors give it. */
export interface OperationSpec {
  kind: OperationKind;
  settings: ResultSettings;
  /** Whether the result is an artifact where the settings do not say so; default unless it goes elsewhere. */
  writes?: "always" | "never" | undefined;
  params(operationId: string): Record<string, unknown>;
  handler?: OperationHandler | undefined;
  createHandler?:
    | ((operationId: string, options: BuiltinOperationsOptions) => OperationHandler)
    | undefined;
}
