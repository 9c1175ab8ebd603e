const begins = /^\s*(?:select|with|from|values|\()/i;
const label = /^\s*(?:sql\s?query|sql|query)\s*:\s*/i;

/**
 * Extracts the statement from a model's answer. Removes a code fence around it, a label like
 * `SQLQuery:`, or quotes.
 */
export function statementText(text: string): string {
  if (begins.test(text)) return text;
  const fenced = [...text.matchAll(/^[^\S\n]*(```+)(?:\w*[^\S\n]*\n|)([^]*?)\1[^\S\n]*$/gm)];
  const [first, ...others] = fenced.map(([, , inner = ""]) => inner);
  const found = first !== undefined && others.length === 0 ? first : text;
  const plain = found.replace(label, "");
  const [, quote = "", inner = ""] = /^\s*(["'`])([^]*)\1\s*;?\s*$/.exec(plain) ?? [];
  if (!begins.test(inner)) return plain;
  const isDoubled = !inner.replaceAll(quote + quote, "").includes(quote);
  return isDoubled ? inner.replaceAll(quote + quote, quote) : inner;
}
