/** The conversation of both agents: a task, and tool calls with results of about 500 tokens each. */
export const task = "Check the orders O-1 to O-12 and tell me which of them is late.";

/** The token budget of a prompt, including tools. */
export const budget = 2_500;

/** Calls before the model answers. */
export const callCount = 12;

/** The answer of the tool. */
export function orderOf(number: number): string {
  const lines = Array.from({ length: 14 }, (_, at) => ({
    item_id: `I-${number}-${at}`,
    name: `part ${(number * 7 + at) % 23}`,
    quantity: (number + at) % 5,
    status: number === 7 && at === 3 ? "late" : "on time",
  }));
  return JSON.stringify({ order_id: `O-${number}`, lines });
}
