// Routes are modules here, and the project is no part of the folder above.
export default { pageExtensions: ["mjs"], turbopack: { root: import.meta.dirname } };
