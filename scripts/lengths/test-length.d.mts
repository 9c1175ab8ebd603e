export type TestLength = "test" | "ci" | "faults" | "nightly";
export const testLengths: Record<TestLength, { propertyRuns: number; kills: number }>;
export const testLength: TestLength;
export const propertyRuns: number;
export const kills: number;
export function isAtLeast(length: TestLength): boolean;
/** A file of the length ci has no shorter one to give a value for. */
export function byLength<T>(values: ({ test: T } | { ci: T }) & Partial<Record<TestLength, T>>): T;
