import { person } from "./person.mjs";

/** A user who exchanges and returns items of an order. */
export function shopDialogue(writer, random) {
  const owner = person(random);
  const kinds = Object.keys(productKinds);
  const catalog = kinds.map((kind) => product(random, kind));
  const ids = Array.from({ length: random.int(3, 6) }, () => `#W${random.digits(7)}`);
  const orders = ids.map((id) =>
    order(random, {
      owner,
      id,
      products: Array.from({ length: random.int(3, 6) }, () => random.pick(catalog)),
    }),
  );
  writer.user("Hello, something I ordered is not what I wanted. I would like to exchange it.");
  writer.model(
    "I'm sorry to hear that. Please give me your email, or your name and zip code, so that I can find you.",
  );
  identify(writer, random, { owner, ids });
  const seen = orders.slice(0, random.int(2, orders.length));
  for (const one of seen) writer.call(["get_order_details", { order_id: one.order_id }, one]);
  const chosen = random.pick(seen);
  const item = random.pick(chosen.items);
  writer.model(
    `Your order ${chosen.order_id} has ${chosen.items.length} items: ${chosen.items.map(({ name }) => name).join(", ")}. Which one would you like to exchange, and for what?`,
  );
  writer.user(
    `The ${item.name}. I would like a different one, similar but cheaper if there is any.`,
  );
  const kindOf = lookAtProducts(writer, random, { item, catalog, kinds });
  const wanted = random.pick(Object.values(kindOf.variants));
  writer.model(
    `There is one with ${Object.entries(wanted.options)
      .map(([key, value]) => `${key}: ${value}`)
      .join(
        ", ",
      )} at $${wanted.price}. The difference would go to your original payment method. Shall I go ahead (yes/no)?`,
  );
  writer.user("Hmm, what would the difference be? If it is below 50 dollars then yes.");
  writer.call([
    "calculate",
    { expression: `${wanted.price} - ${item.price}` },
    (wanted.price - item.price).toFixed(2),
  ]);
  const payment = chosen.payment_history[0].payment_method_id;
  writer.call([
    chosen.status === "pending" ? "modify_pending_order_items" : "exchange_delivered_order_items",
    {
      order_id: chosen.order_id,
      item_ids: [item.item_id],
      new_item_ids: [wanted.item_id],
      payment_method_id: payment,
    },
    {
      ...chosen,
      status: "exchange requested",
      exchange_items: [item.item_id],
      exchange_new_items: [wanted.item_id],
      exchange_payment_method_id: payment,
    },
  ]);
  writer.model(
    "The exchange has been requested. You will get an email with the next steps. Anything else?",
  );
  if (random.chance(0.6)) changeAddress(writer, random, { owner, ids });
  returnItems(writer, random, { seen });
  writer.user("That's everything, thanks a lot.");
  writer.model("You're welcome!");
}

function identify(writer, random, { owner, ids }) {
  if (random.chance(0.5)) {
    writer.user(`My name is ${owner.first} ${owner.last} and my zip code is ${owner.address.zip}.`);
    writer.call([
      "find_user_id_by_name_zip",
      { first_name: owner.first, last_name: owner.last, zip: owner.address.zip },
      owner.userId,
    ]);
  } else {
    writer.user(`It's ${owner.email}`);
    writer.call(["find_user_id_by_email", { email: owner.email }, owner.userId]);
  }
  writer.call([
    "get_user_details",
    { user_id: owner.userId },
    {
      name: { first_name: owner.first, last_name: owner.last },
      address: owner.address,
      email: owner.email,
      payment_methods: owner.payments,
      orders: ids,
    },
  ]);
}

function lookAtProducts(writer, random, { item, catalog, kinds }) {
  if (random.chance(0.4)) {
    writer.call([
      "list_all_product_types",
      {},
      Object.fromEntries([
        ...catalog.map(({ name, product_id }) => [name, product_id]),
        ...Array.from({ length: 40 }, (_, index) => [
          `${random.pick(kinds)} ${index}`,
          random.digits(10),
        ]),
      ]),
    ]);
  }
  const kindOf = catalog.find(({ product_id }) => product_id === item.product_id);
  writer.call(["get_product_details", { product_id: item.product_id }, kindOf]);
  if (random.chance(0.4)) {
    const other = random.pick(catalog);
    writer.call(["get_product_details", { product_id: other.product_id }, other]);
  }
  return kindOf;
}

function changeAddress(writer, random, { owner, ids }) {
  const { address1, address2, city, country, state, zip } = person(random).address;
  writer.user(
    `Yes, I moved: please change the address to ${address1}, ${address2}, ${city}, ${state} ${zip}.`,
  );
  writer.model(
    `I will change the address of your profile to ${address1}, ${address2}, ${city}, ${state} ${zip}. Do you confirm (yes/no)?`,
  );
  writer.user("Yes.");
  writer.call([
    "modify_user_address",
    { user_id: owner.userId, address1, address2, city, state, country, zip },
    {
      name: { first_name: owner.first, last_name: owner.last },
      address: { address1, address2, city, country, state, zip },
      email: owner.email,
      payment_methods: owner.payments,
      orders: ids,
    },
  ]);
  writer.model("Your address has been changed. Is there anything else?");
}

function returnItems(writer, random, { seen }) {
  for (let rounds = random.int(1, 4); rounds > 0; rounds--) {
    const other = random.pick(seen);
    const back = random.pick(other.items);
    writer.user(`One more: I want to return the ${back.name} of order ${other.order_id}.`);
    writer.call([
      "return_delivered_order_items",
      {
        order_id: other.order_id,
        item_ids: [back.item_id],
        payment_method_id: other.payment_history[0].payment_method_id,
      },
      { ...other, status: "return requested", return_items: [back.item_id] },
    ]);
    writer.model("The return has been requested.");
  }
}

const productKinds = {
  "T-Shirt": {
    color: ["blue", "black", "purple", "red"],
    size: ["S", "M", "L", "XL"],
    material: ["cotton", "polyester"],
  },
  "Mechanical Keyboard": {
    "switch type": ["linear", "tactile", "clicky"],
    backlight: ["RGB", "white", "none"],
    size: ["full size", "80%", "60%"],
  },
  "Desk Lamp": {
    color: ["white", "silver", "black"],
    brightness: ["low", "medium", "high"],
    "power source": ["USB", "battery", "AC adapter"],
  },
  "Hiking Boots": {
    size: ["7", "8", "9", "10", "11"],
    material: ["leather", "synthetic"],
    waterproof: ["yes", "no"],
  },
  "Water Bottle": {
    capacity: ["500ml", "750ml", "1000ml"],
    material: ["plastic", "stainless steel", "glass"],
    color: ["red", "blue", "green"],
  },
};

function product(random, kind) {
  const variants = Array.from({ length: random.int(8, 22) }, () => {
    const options = Object.fromEntries(
      Object.entries(productKinds[kind]).map(([key, list]) => [key, random.pick(list)]),
    );
    const id = random.digits(10);
    return [
      id,
      { item_id: id, options, available: random.chance(0.7), price: random.int(4000, 29000) / 100 },
    ];
  });
  return { name: kind, product_id: random.digits(10), variants: Object.fromEntries(variants) };
}

function order(random, { owner, id, products }) {
  const items = products.map((one) => {
    const variant = random.pick(Object.values(one.variants));
    return {
      name: one.name,
      product_id: one.product_id,
      item_id: variant.item_id,
      price: variant.price,
      options: variant.options,
    };
  });
  const payment = random.pick(Object.keys(owner.payments));
  return {
    order_id: id,
    user_id: owner.userId,
    address: owner.address,
    items,
    fulfillments: [
      { tracking_id: [random.digits(12)], item_ids: items.map(({ item_id }) => item_id) },
    ],
    status: random.pick(["pending", "delivered", "processed"]),
    payment_history: [
      {
        transaction_type: "payment",
        amount: Number(items.reduce((sum, { price }) => sum + price, 0).toFixed(2)),
        payment_method_id: payment,
      },
    ],
  };
}
