// What others do with a long history, for comparison. Each call of a factory starts a session.

/** Never removes anything. */
export const appendOnly = () => (messages) => messages;

/** The system prompt and as many of the last messages as fit, starting at a user message or an answered call. */
export const slidingWindow =
  ({ budget, countOf, fixed }) =>
  () =>
  (messages) => {
    const head = headOf(messages);
    let left = budget - fixed - sum(head, countOf);
    let start = messages.length;
    while (start > head.length && countOf(messages[start - 1]) <= left)
      left -= countOf(messages[--start]);
    while (start < messages.length && messages[start].role === "tool") start++;
    return [...head, ...messages.slice(start)];
  };

/** The first three messages and as many of the last as fit, recomputed at each call. */
export const firstAndLast =
  ({ budget, countOf, fixed }) =>
  () =>
  (messages) => {
    const head = messages.slice(0, headOf(messages).length + 3);
    let left = budget - fixed - sum(head, countOf);
    let start = messages.length;
    while (start > head.length && countOf(messages[start - 1]) <= left)
      left -= countOf(messages[--start]);
    while (start < messages.length && messages[start].role === "tool") start++;
    return start === messages.length && messages.length <= head.length
      ? messages
      : [...head, ...messages.slice(start)];
  };

/** Replaces all results except the last three by a placeholder once the history exceeds the budget. */
export const clearAllButThree =
  ({ budget, countOf, fixed }) =>
  () => {
    const placeholder = new Map();
    return (messages) => {
      if (fixed + sum(messages, countOf) <= budget) return messages;
      const results = messages.flatMap(({ role }, index) => (role === "tool" ? [index] : []));
      const cleared = new Set(results.slice(0, -3));
      return messages.map((message, index) => {
        if (!cleared.has(index)) return message;
        if (!placeholder.has(message))
          placeholder.set(message, { ...message, content: "[cleared]" });
        return placeholder.get(message);
      });
    };
  };

/**
 * Above the budget, drops the oldest messages until half of it is used. The rest stays until the budget is exceeded
 * again.
 */
export const frozenCut =
  ({ budget, countOf, fixed }) =>
  () => {
    let start = 0;
    return (messages) => {
      const head = headOf(messages);
      const kept = () => fixed + sum(head, countOf) + sum(messages.slice(start), countOf);
      start = Math.max(start, head.length);
      if (kept() <= budget) return [...head, ...messages.slice(start)];
      while (start < messages.length - 1 && kept() > budget / 2) start++;
      while (start < messages.length && messages[start].role === "tool") start++;
      return [...head, ...messages.slice(start)];
    };
  };

function headOf(messages) {
  const end = messages.findIndex(({ role }) => role !== "system");
  return messages.slice(0, end < 0 ? messages.length : end);
}

function sum(messages, countOf) {
  return messages.reduce((total, message) => total + countOf(message), 0);
}
