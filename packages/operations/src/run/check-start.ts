import { canonicalJson, sha256Hex } from "@ccl/core";
import { stringAt } from "@ccl/core/json";

import { readJson } from "../artifact/copy-json.ts";
import { OperationsError, refuse } from "../operations-error.ts";
import { idPattern } from "../operation/operation-definition.ts";
import type { TurnSettings } from "../operation/turn-settings.ts";
import { turnShape } from "../profile/operation-profile-schema.ts";
import type { Trigger } from "../operation/operation-definition.ts";
import type { StartOptions } from "./engine-options.ts";
import { messageOf } from "../operation/message-of.ts";

/** Options of a start, with defaults applied. */
export type StartRequest = StartOptions & { trigger: Trigger; branchId: string };

/** Rejects options that no run can start with. @throws OperationsError `invalid_options` */
export function checkStart(options: StartOptions, nowMs: number): StartRequest {
  const { trigger = "generate", branchId = "main" } = options;
  const { chatId, message, userMessageId, profile, profileRef } = options;
  if (trigger !== "generate" && trigger !== "regenerate") {
    refuse(`The trigger ${JSON.stringify(trigger)} is neither generate nor regenerate.`);
  }
  if (message !== undefined) checkMessage(message);
  const { clientRequestId, initiator, signal } = options;
  checkText("chatId", chatId);
  checkText("branchId", branchId);
  const named = { userMessageId, clientRequestId, initiator, profileRef };
  for (const [name, value] of Object.entries(named))
    if (value !== undefined) checkText(name, value);
  if (profile !== undefined && profileRef !== undefined)
    refuse("Give profile or profileRef, not both.");
  if (trigger === "regenerate" && message !== undefined) {
    refuse("Regenerate answers an existing turn; leave message out, or use generate.");
  }
  if (trigger === "generate" && message === undefined && userMessageId === undefined) {
    refuse(
      "Generate begins a turn: give message, or the userMessageId of a message that is in the chat.",
    );
  }
  if (signal !== undefined && typeof signal?.addEventListener !== "function")
    refuse("The signal is not an AbortSignal.");
  const { deadlineAt, timeoutMs } = options;
  if (deadlineAt !== undefined && timeoutMs !== undefined)
    refuse("Give deadlineAt or timeoutMs, not both.");
  if (deadlineAt !== undefined && !(Number.isFinite(deadlineAt) && deadlineAt >= nowMs)) {
    refuse(
      `deadlineAt ${deadlineAt} is not a time from now on in milliseconds since the epoch; for a duration give timeoutMs.`,
    );
  }
  if (timeoutMs !== undefined && !(Number.isFinite(timeoutMs) && timeoutMs > 0))
    refuse(`timeoutMs ${timeoutMs} is not a number of milliseconds above 0.`);
  return { ...options, trigger, branchId, turn: checkTurn(options.turn) };
}

/** Copies the settings as JSON. @throws OperationsError `invalid_options` */
function checkTurn(turn: TurnSettings | undefined): TurnSettings | undefined {
  if (turn === undefined) return undefined;
  const read = readJson(turn, turnShape);
  if (read.ok) return read.value;
  const [issue] = read.issues;
  refuse(`turn.${issue?.path.join(".")}: ${issue?.message}`);
}

function checkText(name: string, value: unknown): void {
  if (typeof value === "string" && idPattern.test(value)) return;
  refuse(
    `${name} ${JSON.stringify(value)} must be 1 to 200 characters, none of them a control character.`,
  );
}

function checkMessage(message: unknown): void {
  const isText = typeof message === "string";
  if ((isText || Array.isArray(message)) && message.length === 0) {
    refuse(
      "message is empty; write one, or leave it out and set userMessageId to a message that is in the chat.",
    );
  }
  if (!isText && !(Array.isArray(message) && message.every(isPart))) {
    refuse("message must be a string, or a list of parts that each have a type.");
  }
  try {
    // Bytes are not JSON, and each store encodes them differently.
    canonicalJson(isText ? message : message.map((part) => ({ ...part, data: undefined })));
  } catch (cause) {
    throw new OperationsError(
      "invalid_options",
      `message can't be stored as JSON: ${messageOf(cause)}`,
      { cause },
    );
  }
}

function isPart(part: unknown): part is { type: string } {
  return stringAt(part, "type") !== undefined;
}

/** Hashes the payload of a start with a request id. Excludes the deadline, since it is a point in time. */
export function payloadHash(options: StartRequest): string {
  const { trigger, chatId, branchId, message, userMessageId, profile, profileRef } = options;
  const { initiator, turn } = options;
  const payload = {
    trigger,
    chatId,
    branchId,
    userMessage: message,
    userMessageId,
    profile,
    profileRef,
    initiator,
    turn,
  };
  return sha256Hex(canonicalJson(JSON.parse(JSON.stringify(payload))));
}
