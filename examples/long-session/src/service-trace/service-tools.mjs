const string = { type: "string" };
const number = { type: "number" };
const list = (items) => ({ type: "array", items });
const tool = (name, description, properties) => ({
  name,
  description,
  inputSchema: { type: "object", properties, required: Object.keys(properties) },
});
const passenger = {
  type: "object",
  properties: { first_name: string, last_name: string, dob: string },
};
const leg = { type: "object", properties: { flight_number: string, date: string } };

/** The tools of both kinds of dialogue. */
export const serviceTools = [
  tool(
    "get_user_details",
    "Get the profile of a user, with payment methods and past bookings or orders.",
    {
      user_id: string,
    },
  ),
  tool("find_user_id_by_email", "Find a user id by email.", { email: string }),
  tool("find_user_id_by_name_zip", "Find a user id by first name, last name and zip code.", {
    first_name: string,
    last_name: string,
    zip: string,
  }),
  tool("get_reservation_details", "Get the details of a reservation.", { reservation_id: string }),
  tool(
    "search_direct_flight",
    "Search direct flights between two airports on a date (YYYY-MM-DD).",
    {
      origin: string,
      destination: string,
      date: string,
    },
  ),
  tool("search_onestop_flight", "Search flights with one stop between two airports on a date.", {
    origin: string,
    destination: string,
    date: string,
  }),
  tool(
    "book_reservation",
    "Book a reservation. The amounts of the payment methods must add up to the price.",
    {
      user_id: string,
      origin: string,
      destination: string,
      flight_type: string,
      cabin: string,
      flights: list(leg),
      passengers: list(passenger),
      payment_methods: list({ type: "object", properties: { payment_id: string, amount: number } }),
      total_baggages: number,
      nonfree_baggages: number,
      insurance: string,
    },
  ),
  tool("update_reservation_flights", "Change the flights or the cabin of a reservation.", {
    reservation_id: string,
    cabin: string,
    flights: list(leg),
    payment_id: string,
  }),
  tool("update_reservation_baggages", "Change the bags of a reservation.", {
    reservation_id: string,
    total_baggages: number,
    nonfree_baggages: number,
    payment_id: string,
  }),
  tool("cancel_reservation", "Cancel a whole reservation.", { reservation_id: string }),
  tool("get_order_details", "Get the status and the details of an order; the id starts with #W.", {
    order_id: string,
  }),
  tool(
    "get_product_details",
    "Get the variants of a product with options, availability and price.",
    {
      product_id: string,
    },
  ),
  tool("list_all_product_types", "List the names and ids of all products.", {}),
  tool(
    "exchange_delivered_order_items",
    "Exchange items of a delivered order for others of the same product.",
    {
      order_id: string,
      item_ids: list(string),
      new_item_ids: list(string),
      payment_method_id: string,
    },
  ),
  tool("modify_pending_order_items", "Replace items of a pending order; only once an order.", {
    order_id: string,
    item_ids: list(string),
    new_item_ids: list(string),
    payment_method_id: string,
  }),
  tool("return_delivered_order_items", "Return items of a delivered order.", {
    order_id: string,
    item_ids: list(string),
    payment_method_id: string,
  }),
  tool("modify_user_address", "Change the default address of a user.", {
    user_id: string,
    address1: string,
    address2: string,
    city: string,
    state: string,
    country: string,
    zip: string,
  }),
  tool("calculate", "Work out an arithmetic expression.", { expression: string }),
];
