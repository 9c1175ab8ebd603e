import type { Session } from "./session.ts";

/** Caches a value for each session, for as long as the session exists. */
export function sessionMemory<Value>(make: () => Value): (session: Session) => Value {
  const values = new WeakMap<Session, Value>();
  return (session) => {
    const value = values.get(session) ?? make();
    values.set(session, value);
    return value;
  };
}
