import { declarationAt, type Declaration } from "../declaration.ts";

const MAX_VALUE_CHARACTERS = 60;
const TOKEN =
  /\/\*[^]*?(?:\*\/|$)|(?<=^|[\s;{}])\/\/[^\n]*|"(?:[^"\\\n]|\\[^])*"?|'(?:[^'\\\n]|\\[^])*'?|url\([^()"'\n]*\)|#\{[^{}\n]*\}|[{};]/gi;
const COMMENT = /\/\*[^]*?(?:\*\/|$)|(?<=^|[\s;{}])\/\/[^\n]*/g;
const VARIABLE = /^(--[\w-]+|[$@][\w-]+)\s*:\s*([^]*)$/;
/** At-rules whose blocks contain steps or settings instead of names. */
const CLOSED = /^@(?:[\w-]*keyframes|font-face|page|property)$/;
const NAMED = /^@(?:[\w-]*keyframes|mixin|function|layer|property)$/;

/**
 * Reads the rules of a style sheet: selectors, at-rules with the selectors inside them, and custom
 * properties and variables with their values. Also supports nested rules and `//` comments in SCSS
 * and Less.
 */
export function readCss(text: string): { declarations: Declaration[]; hasErrors: boolean } {
  const declarations: Declaration[] = [];
  const open: (Declaration | undefined)[] = [];
  let from = 0;
  let line = 1;
  let counted = 0;
  const lineAt = (end: number): number => {
    for (; counted < end; counted += 1) if (text.charCodeAt(counted) === 10) line += 1;
    return line;
  };
  TOKEN.lastIndex = 0;
  for (let token = TOKEN.exec(text); token !== null; token = TOKEN.exec(text)) {
    const [mark] = token;
    if (!"{};".includes(mark)) continue;
    const whole = text
      .slice(from, token.index)
      .replaceAll(COMMENT, (comment) => " ".repeat(comment.length));
    const firstLine = lineAt(from + whole.length - whole.trimStart().length);
    const part = whole.trim().replaceAll(/\s+/g, " ");
    from = token.index + 1;
    const [top] = open;
    const [, variable, value = ""] = (mark !== "{" && VARIABLE.exec(part)) || [];
    const shown = value.length > MAX_VALUE_CHARACTERS ? "…" : value;
    const signature = variable === undefined ? part : `${variable}: ${shown}`;
    const isNamed = part !== "" && (mark === "{" ? !part.startsWith("&") : variable !== undefined);
    let declaration: Declaration | undefined;
    if (isNamed && open.length === 0) {
      declaration = cssDeclaration(signature, variable ?? part, firstLine);
      declarations.push(declaration);
    } else if (isNamed && top !== undefined && !CLOSED.test(top.kind))
      (top.members ??= []).push({ documentation: "", text: signature });
    if (mark === "{") open.push(declaration);
    const ended = mark === "}" ? open.pop() : undefined;
    if (ended !== undefined) ended.lastLine = lineAt(token.index);
  }
  return { declarations, hasErrors: open.length > 0 };
}

function cssDeclaration(signature: string, head: string, firstLine: number): Declaration {
  const [, atRule, rest = ""] = /^(@[\w-]+)(?:\s+([^]*))?$/.exec(head) ?? [];
  const isRule = atRule === undefined;
  const name = isRule ? head : (NAMED.test(atRule) && /^[\w-]+/.exec(rest)?.[0]) || "";
  return declarationAt(
    { firstLine, lastLine: firstLine },
    {
      kind: atRule ?? "rule",
      name,
      exports: name === "" ? [] : [name],
      signature,
    },
  );
}
