import type { Order } from "./order.ts";

/** Where orders are kept. */
export interface OrderStore {
  save(order: Order): Promise<void>;
  find(id: string): Promise<Order | undefined>;
  list(): Promise<Order[]>;
}

/** Keeps copies, so that a caller's later changes do not reach the store. */
export function createMemoryOrderStore(): OrderStore {
  const orders = new Map<string, Order>();
  return {
    save: async (order) => void orders.set(order.id, structuredClone(order)),
    find: async (id) => structuredClone(orders.get(id)),
    list: async () => [...orders.values()].map((order) => structuredClone(order)),
  };
}
