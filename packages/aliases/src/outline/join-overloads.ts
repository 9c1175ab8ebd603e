import type { LexicalStyle } from "./compact-text.ts";
import type { Declaration } from "./declaration.ts";
import { renderSignature } from "./render-outline.ts";

/** Joins overloads into one declaration, with one line per overload and without the implementation. */
export function joinOverloads(
  declarations: readonly Declaration[],
  style: LexicalStyle,
): Declaration[] {
  const joined: Declaration[] = [];
  for (const declaration of declarations) {
    const previous = joined.at(-1);
    if (previous === undefined || !previous.isOverload || previous.name !== declaration.name) {
      joined.push({ ...declaration });
      continue;
    }
    previous.lastLine = declaration.lastLine;
    previous.isOverload = declaration.isOverload;
    if (declaration.isOverload) previous.signature += `\n${renderSignature(declaration, style)}`;
  }
  return joined;
}
