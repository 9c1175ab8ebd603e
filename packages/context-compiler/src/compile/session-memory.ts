import type { Session } from "../session/session.ts";

/** More budgets than one session is normally compiled for. */
const keptKeys = 8;

/**
 * Caches a value for each session and each of its last few keys, as long as the session exists. A dropped value is
 * computed again.
 */
export function rememberBySession<Key, Value>(
  make: () => Value,
): (session: Session, key: Key) => Value {
  const sessions = new WeakMap<Session, Map<Key, Value>>();
  return (session, key) => {
    const values = sessions.get(session) ?? new Map<Key, Value>();
    sessions.set(session, values);
    const value = values.get(key) ?? make();
    // Reinserted, so that the first key was unused for longest.
    values.delete(key);
    values.set(key, value);
    const [oldest] = values.keys();
    if (values.size > keptKeys && oldest !== undefined) values.delete(oldest);
    return value;
  };
}
