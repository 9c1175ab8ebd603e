import { onAbort, throwIfAborted, type AbortErrorClass } from "./abort.ts";

/** Gives callers one turn at a time, in the order of their requests. */
export class TurnQueue {
  #isTaken = false;
  readonly #waiting: (() => void)[] = [];
  readonly #ErrorClass: AbortErrorClass;

  /** `ErrorClass` is thrown if a call is aborted while it waits. */
  constructor(ErrorClass: AbortErrorClass) {
    this.#ErrorClass = ErrorClass;
  }

  /** Runs an action in its own turn. An abort during the wait removes it from the queue. */
  async run<T>(action: () => T | Promise<T>, signal?: AbortSignal | undefined): Promise<T> {
    throwIfAborted(signal, this.#ErrorClass);
    if (this.#isTaken) await this.#wait(signal);
    this.#isTaken = true;
    try {
      throwIfAborted(signal, this.#ErrorClass);
      return await action();
    } finally {
      this.#leave();
    }
  }

  async #wait(signal: AbortSignal | undefined): Promise<void> {
    const hasTurn = await new Promise<boolean>((resolve) => {
      const proceed = (): void => {
        forget?.();
        resolve(true);
      };
      const giveUp = (): void => {
        this.#waiting.splice(this.#waiting.indexOf(proceed), 1);
        resolve(false);
      };
      const forget = signal && onAbort(signal, giveUp);
      this.#waiting.push(proceed);
    });
    if (!hasTurn) throwIfAborted(signal, this.#ErrorClass);
  }

  #leave(): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#isTaken = false;
    else next();
  }
}
