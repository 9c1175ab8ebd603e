/** Whole cents from an amount such as 29.99, which binary fractions hold only nearly. */
export function toCents(amount) {
  return Math.round(amount * 100);
}

/** An amount as people write it: 2999 is "29.99". */
export function formatCents(cents) {
  return `${Math.floor(cents / 100)}.${String(cents % 100).padStart(2, "0")}`;
}
