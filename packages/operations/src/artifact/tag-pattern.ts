/** Pattern of valid tags. A tag appears in templates as `art.<tag>` and is a key of plain objects. */
export const tagPattern: RegExp = /^(?!__proto__$)[A-Za-z_][A-Za-z0-9_-]{0,99}$/;
