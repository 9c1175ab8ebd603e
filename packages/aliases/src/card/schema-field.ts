/** One field of a schema in any schema language. */
export interface SchemaField {
  /** Nested names have dots, `[]` marks the items of a list. A shared type's fields start with its name. */
  name: string;
  /** The type as shown, with the word `enum` or `const` in place of `values`. */
  type: string;
  /** Undefined if the schema language cannot express it. */
  isRequired?: boolean | undefined;
  /** Values of an enumeration or a constant, in the schema's order. */
  values?: string[] | undefined;
  /** Formats, bounds and defaults by keyword. */
  facts: Record<string, string>;
}

/** Maximum number of fields read. */
export const maxSchemaFields = 2_000;

/** `lang: enum[en,de,ru](opt)` */
export function renderField(field: SchemaField): string {
  const { name, type, values, facts } = field;
  const shownType =
    values === undefined
      ? type
      : type.replace(/enum|const/, (word) => `${word}[${values.join(",")}]`);
  const format = facts["format"] === undefined ? "" : ` ${facts["format"]}`;
  return `${name}: ${shownType}${format}${renderRequired(field)}`;
}

/** `(required)`, `(opt)` or nothing. */
export function renderRequired({ isRequired }: SchemaField): string {
  if (isRequired === undefined) return "";
  return isRequired ? "(required)" : "(opt)";
}
