/** Sets an own field of any name. Assigning to `__proto__` would set the prototype. */
export function setField(fields: Record<string, unknown>, key: string, value: unknown): void {
  if (key !== "__proto__") fields[key] = value;
  else
    Object.defineProperty(fields, key, {
      value,
      writable: true,
      enumerable: true,
      configurable: true,
    });
}
