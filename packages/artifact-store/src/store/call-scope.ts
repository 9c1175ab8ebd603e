import { throwIfAborted } from "@ccl/core/async";
import { ArtifactStoreError, type ArtifactStoreErrorCode } from "../artifact-store-error.ts";
import { checkOptions } from "./check-input.ts";

/** Codes that systems, databases and lower packages use for these causes. 13 is SQLite's code for a full disk. */
const causes: readonly [code: ArtifactStoreErrorCode, what: string, names: readonly unknown[]][] = [
  ["disk_full", "has no room left", ["ENOSPC", "EDQUOT", "SQLITE_FULL", "53100", "disk_full", 13]],
  ["read_only", "allows no such access", ["EROFS", "EACCES", "EPERM", "25006", "read_only"]],
  ["damaged", "is damaged", ["damaged"]],
  ["conflict", "was changed by others first", ["conflict"]],
];

/** Wraps a failure in an `ArtifactStoreError`, unless it is one already. */
function toStoreError(
  error: unknown,
  name: string,
  signal: AbortSignal | undefined,
): ArtifactStoreError {
  if (ArtifactStoreError.isInstance(error)) return error;
  if (signal?.aborted === true)
    return new ArtifactStoreError("aborted", "The call was aborted.", { cause: signal.reason });
  // A backend's message may quote stored content, so only its codes go into the message.
  const codes = codesOf(error);
  const label =
    codes.find((code) => typeof code === "string") ??
    (error instanceof Error ? error.name : typeof error);
  const [code = "unavailable", what] =
    causes.find(([, , names]) => codes.some((each) => names.includes(each))) ?? [];
  const message = what === undefined ? `failed (${label}); see the cause.` : `${what} (${label}).`;
  return new ArtifactStoreError(code, `The ${name} store ${message}`, { cause: error });
}

/** Returns `code` and `errcode` of the error and its causes. */
function codesOf(error: unknown): unknown[] {
  const codes: unknown[] = [];
  for (let depth = 0; typeof error === "object" && error !== null && depth < 8; depth += 1) {
    if ("code" in error) codes.push(error.code);
    if ("errcode" in error) codes.push(error.errcode);
    error = "cause" in error ? error.cause : undefined;
  }
  return codes;
}

interface CallOptions {
  signal?: AbortSignal | undefined;
}

/** Counts the running calls of a store. Closing waits for them and rejects later ones. */
export class CallScope {
  readonly #name: string;
  #underWay = 0;
  #whenIdle = (): void => undefined;
  #closing: Promise<void> | undefined;

  constructor(name: string) {
    this.#name = name;
  }

  /** Starts the action in the same tick. Rejects only with `ArtifactStoreError`. */
  async run<T>(options: CallOptions | undefined, action: () => Promise<T>): Promise<T> {
    if (this.#closing !== undefined) {
      throw new ArtifactStoreError("closed", `The ${this.#name} store is closed; open it again.`);
    }
    checkOptions(options);
    const signal = options?.signal;
    throwIfAborted(signal, ArtifactStoreError);
    this.#underWay += 1;
    try {
      return await action();
    } catch (error) {
      throw toStoreError(error, this.#name, signal);
    } finally {
      this.#underWay -= 1;
      if (this.#underWay === 0) this.#whenIdle();
    }
  }

  close(finish: () => Promise<void>): Promise<void> {
    this.#closing ??= this.#finish(finish);
    return this.#closing;
  }

  async #finish(finish: () => Promise<void>): Promise<void> {
    await new Promise<void>((resolve) => {
      this.#whenIdle = resolve;
      if (this.#underWay === 0) resolve();
    });
    try {
      await finish();
    } catch (error) {
      throw toStoreError(error, this.#name, undefined);
    }
  }
}
