/** Our own slips: how each changes the answer, or the file if the slip is in the file. */
const isJson = (text) => text.trimStart().startsWith("{");
const inTexts = (answer, change) => {
  if (!isJson(answer)) return change(answer);
  const changed = (key, value) =>
    ["old_str", "new_str", "before", "after", "patch"].includes(key) ? change(value) : value;
  const lines = answer.trim().split("\n");
  return lines.map((line) => JSON.stringify(JSON.parse(line), changed)).join("\n");
};
export const slips = {
  none: { answer: (text) => text },
  "trailing spaces in the file": {
    answer: (text) => text,
    base: (text) => text.replaceAll(/(\w[;,{(])\n/g, "$1  \n"),
  },
  "CRLF in the file": { answer: (text) => text, base: (text) => text.replaceAll("\n", "\r\n") },
  "no line end at the end": {
    answer: (text) => text.replace(/\n$/, ""),
    base: (text) => text.replace(/\n$/, ""),
  },
  "byte order mark": { answer: (text) => text, base: (text) => `\ufeff${text}` },
  "in a fence after prose": {
    answer: (text, format) =>
      format === "whole file"
        ? `I made the change.\n\n${text}\n\nDone.`
        : `I made the change:\n\n\`\`\`\n${text}\n\`\`\`\n\nDone.`,
  },
  reasoning: { answer: (text) => `<think>\nFirst --- I look at @@ it.\n</think>\n\n${text}` },
  "blank context without its space": {
    answer: (text, format) =>
      /diff|V4A|PATCH/.test(format) ? inTexts(text, (one) => one.replaceAll(/^ $/gm, "")) : text,
  },
  "trailing spaces in old lines": {
    answer: (text, format) =>
      /diff|V4A|PATCH/.test(format)
        ? inTexts(text, (one) =>
            one.replaceAll(/^([ -].*\S)$/gm, (line) =>
              /^(?:---|\+\+\+)/.test(line) ? line : `${line} `,
            ),
          )
        : text,
  },
  "line numbers far off": {
    answer: (text) =>
      inTexts(text, (one) => one.replaceAll(/^@@ -(\d+)/gm, (_, n) => `@@ -${Number(n) + 37}`)),
  },
  "counts wrong": {
    answer: (text) =>
      inTexts(text, (one) =>
        one.replaceAll(/^@@ -(\d+),(\d+) \+(\d+),(\d+) @@/gm, (header) =>
          header.replaceAll(/,(\d+)/g, (_, n) => `,${Number(n) - 1}`),
        ),
      ),
  },
};
