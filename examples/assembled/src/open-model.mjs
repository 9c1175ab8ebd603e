// The model that this machine has, or a recording of one.
import { createScriptedModel } from "@ccl/core/testing";
import { findModel } from "@ccl/providers/environment";

const recorded = `The orders need their customer's city, and the report shows it.
*** Begin Patch
*** Update File: orders.mjs
@@
-  return await db.all("SELECT id, total_cents FROM orders ORDER BY id");
+  return await db.all(
+    "SELECT o.id, o.total_cents, c.city FROM orders o JOIN customers c ON c.id = o.customer_id ORDER BY o.id",
+  );
*** Update File: report.mjs
@@
-  return orders.map(({ id, total_cents }) => \`\${id}: \${total_cents / 100}\`).join("\\n");
+  return orders.map(({ id, total_cents, city }) => \`\${id}, \${city}: \${total_cents / 100}\`).join("\\n");
*** End Patch
`;

export async function openModel(env = process.env) {
  const found = env.CCL_MODEL === "recorded" ? undefined : await findModel({ env });
  return found?.model ?? createScriptedModel([recorded]);
}
