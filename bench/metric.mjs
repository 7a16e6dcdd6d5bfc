// Reads the metrics of the service.

/** The value of a metric without labels. @param name without the prefix `customer_data_` */
export async function metric({ managementUrl }, name) {
  const text = await (await fetch(`${managementUrl}/metrics`)).text();
  return Number(new RegExp(`^customer_data_${name} (.*)$`, 'm').exec(text)[1]);
}
