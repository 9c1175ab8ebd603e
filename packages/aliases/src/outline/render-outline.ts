import type { LexicalStyle } from "./compact-text.ts";
import type { Declaration } from "./declaration.ts";

function documented(documentation: string, text: string, style: LexicalStyle): string {
  return documentation === "" ? text : `${style.lineComment} ${documentation}\n${text}`;
}

function indented(text: string): string {
  return ` ${text.replaceAll("\n", "\n ")}`;
}

/** Renders a declaration in full: documentation, signature and members, one per line. */
export function renderSignature(declaration: Declaration, style: LexicalStyle): string {
  const { signature, members } = declaration;
  const lines = (members ?? []).map(({ documentation, text }) =>
    indented(documented(documentation, text, style)),
  );
  let block = lines.length === 0 ? "" : `\n${lines.join("\n")}`;
  if (!style.hasBraces && block !== "") block = `:${block}`;
  if (style.hasBraces && members !== undefined)
    block = lines.length === 0 ? " {}" : ` {${block}\n}`;
  return documented(declaration.documentation, signature + block, style);
}
