/** JSON that careless stores change: key order, numbers, odd names, text beyond ASCII. */
export const oddValue: unknown = {
  z: [1, 0.1, -0.5, 1e21, 123456789012345],
  a: { "": null, "ключ 🙂": 'quote " and \\ and \n', __proto: true, "a.b": [[], {}] },
  text: "x".repeat(10_000),
};

/** Ids that a careless store confuses with one another, or reads as a pattern. */
export const oddIds: readonly string[] = [
  "s",
  "S",
  "s ",
  "s/1",
  "s%",
  "s_",
  "s'",
  "s:1",
  "сессия 🙂",
  "x".repeat(200),
];
