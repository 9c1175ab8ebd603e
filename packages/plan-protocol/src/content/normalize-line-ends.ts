/** A whole new text with the byte order mark of the old one, and with its CR LF where all its lines end so and no new one does. */
export function inFormOf(content: string, old: string): string {
  const isAllReturns = old.includes("\r\n") && !/(?<!\r)\n/.test(old);
  const text =
    isAllReturns && !content.includes("\r\n") ? content.replaceAll("\n", "\r\n") : content;
  return old.startsWith("\ufeff") && !text.startsWith("\ufeff") ? `\ufeff${text}` : text;
}
