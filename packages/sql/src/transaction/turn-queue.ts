import { throwIfAborted } from "../sql-error.ts";
import { onAbort } from "./on-abort.ts";

/** Hands out one turn at a time, in the order of asking. */
export class TurnQueue {
  #isTaken = false;
  readonly #waiting: (() => void)[] = [];

  /** Runs an action in a turn of its own. An abort while it waits gives up the place. */
  async run<T>(action: () => T | Promise<T>, signal?: AbortSignal): Promise<T> {
    throwIfAborted(signal);
    if (this.#isTaken) await this.#wait(signal);
    this.#isTaken = true;
    try {
      throwIfAborted(signal);
      return await action();
    } finally {
      this.#leave();
    }
  }

  /** Runs an action without a promise in the call itself; undefined, without running it, where it would have to wait. */
  runNow<T>(action: () => T): T | undefined {
    if (this.#isTaken) return undefined;
    this.#isTaken = true;
    try {
      return action();
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
    if (!hasTurn) throwIfAborted(signal);
  }

  #leave(): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#isTaken = false;
    else next();
  }
}
