/** A whole number of cents. */
export type Cents = number;

/** Adds two amounts; throws on anything that is not whole. */
export function addCents(left: Cents, right: Cents): Cents {
  if (!Number.isInteger(left) || !Number.isInteger(right))
    throw new RangeError("amounts are whole cents");
  return left + right;
}

/** Half away from zero. */
export function roundCents(amount: number): Cents {
  return Math.sign(amount) * Math.round(Math.abs(amount));
}

/** `1234` as `12.34`. */
export function formatCents(amount: Cents): string {
  return (amount / 100).toFixed(2);
}
