import type { Session } from "../session/session.ts";

/** More budgets than one session is compiled for at a time. */
const keptKeys = 8;

/**
 * Keeps something for each session, as long as that lives, and each of the last few keys; what was dropped is computed again.
 */
export function rememberBySession<Key, Value>(
  make: () => Value,
): (session: Session, key: Key) => Value {
  const sessions = new WeakMap<Session, Map<Key, Value>>();
  return (session, key) => {
    const values = sessions.get(session) ?? new Map<Key, Value>();
    sessions.set(session, values);
    const value = values.get(key) ?? make();
    // Taken out and put back, so that the first key is the one that was not asked for the longest.
    values.delete(key);
    values.set(key, value);
    const [oldest] = values.keys();
    if (values.size > keptKeys && oldest !== undefined) values.delete(oldest);
    return value;
  };
}
