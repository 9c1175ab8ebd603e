/** Calls a listener; what it throws, or its promise rejects with, is its own affair. */
export function tellGuest<Value>(listener: (value: Value) => unknown, value: Value): void {
  try {
    const answer = listener(value);
    if (answer instanceof Promise) answer.catch(() => {});
  } catch {
    // A listener is a guest.
  }
}
