/** One field of a schema, whatever the schema is written in. */
export interface SchemaField {
  /** Nested names are dotted, `[]` marks the items of a list; the fields of a shared type start with its name. */
  name: string;
  /** As it is shown, with the word `enum` or `const` in the place of `values`. */
  type: string;
  /** Undefined where the schema's language does not say. */
  isRequired?: boolean | undefined;
  /** Of an enumeration or a constant, in the schema's order. */
  values?: string[] | undefined;
  /** Formats, bounds and defaults by keyword. */
  facts: Record<string, string>;
}

/** Fields beyond this are not read. */
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
