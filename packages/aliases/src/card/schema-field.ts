/** A field of a schema, in any schema language. */
export interface SchemaField {
  /** Nested names are joined with dots, and `[]` marks list items. Fields of a shared type start with its name. */
  name: string;
  /** The type as shown, with `enum` or `const` as a placeholder for `values`. */
  type: string;
  /** Undefined if the schema language cannot express it. */
  isRequired?: boolean | undefined;
  /** Values of an enumeration or a constant, in schema order. */
  values?: string[] | undefined;
  /** Formats, bounds and defaults by keyword. */
  facts: Record<string, string>;
}

/** Maximum number of fields to read. */
export const maxSchemaFields = 2_000;

/** Renders a field, such as `lang: enum[en,de,ru](opt)`. */
export function renderField(field: SchemaField): string {
  const { name, type, values, facts } = field;
  const shownType =
    values === undefined
      ? type
      : type.replace(/enum|const/, (word) => `${word}[${values.join(",")}]`);
  const format = facts["format"] === undefined ? "" : ` ${facts["format"]}`;
  return `${name}: ${shownType}${format}${renderRequired(field)}`;
}

/** Returns `(required)`, `(opt)` or an empty string. */
export function renderRequired({ isRequired }: SchemaField): string {
  if (isRequired === undefined) return "";
  return isRequired ? "(required)" : "(opt)";
}
