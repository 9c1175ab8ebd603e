/** Orders with what the report needs of them, oldest first. */
export async function recentOrders(db) {
  return await db.all("SELECT id, total_cents FROM orders ORDER BY id");
}
