import type { BuiltinOperationsOptions } from "../kinds/kind-options.ts";
import type { EmittedEffect, WriteArtifactParams } from "../effects/operation-effect.ts";
import type { OperationCondition, OperationConfig } from "../operation/operation-config.ts";
import type { OperationHandler } from "../operation/operation-context.ts";
import type { OperationKind } from "../operation/operation-definition.ts";

/** When an operation of a profile runs. Every field has a default. */
export interface OperationSettings extends Pick<OperationConfig, "triggers" | "every"> {
  /** Runs before the main call. True by default unless `after` is set. */
  before?: boolean | undefined;
  /** Runs after the main call. Its templates can read `main.text`. With `before: true` it runs in both places. */
  after?: boolean | undefined;
  /** True by default. A failure before the main call prevents that call. A failure after it fails the run. */
  required?: boolean | undefined;
  /** The operation's place in the profile by default. */
  order?: number | undefined;
  /** Names of operations of the profile that must end first. This operation sees their results. */
  dependsOn?: readonly string[] | undefined;
  /**
   * Runs only if this holds. Either the name of an operation whose value must be true, `!name` for false, or
   * conditions as they are stored. The named operation runs first.
   */
  when?: string | readonly OperationCondition[] | undefined;
  /** For people. The operation's name in the profile by default. */
  title?: string | undefined;
}

/** Where the result of an operation goes. */
export interface ResultSettings extends OperationSettings {
  /** Adds the text to the prompt: to the end of the system prompt, or as a message after the user's last one. */
  appendTo?: "system" | "user" | undefined;
  /** Other effects that have the text as their content. */
  emit?: readonly EmittedEffect[] | undefined;
  /** Templates read the value as `art.<tag>`. By default the name, or no artifact with only `appendTo` or `emit`. */
  tag?: string | undefined;
  /** Settings of the artifact. By default it is persisted, `prompt+ui` and `state`. */
  artifact?: Partial<Omit<WriteArtifactParams, "tag">> | undefined;
}

/** An operation of a profile that is being defined. The constructors return it. */
export interface OperationSpec {
  kind: OperationKind;
  settings: ResultSettings;
  /** Whether the result is an artifact if the settings do not say so. By default it is, unless it goes elsewhere. */
  writes?: "always" | "never" | undefined;
  params(operationId: string): Record<string, unknown>;
  handler?: OperationHandler | undefined;
  createHandler?:
    | ((operationId: string, options: BuiltinOperationsOptions) => OperationHandler)
    | undefined;
}
