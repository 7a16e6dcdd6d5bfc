// Figures that the service has of itself.

/** The value of a metric without labels. @param name without its prefix */
export async function metric({ managementUrl }, name) {
  const text = await (await fetch(`${managementUrl}/metrics`)).text();
  return Number(new RegExp(`^customer_data_${name} (.*)$`, 'm').exec(text)[1]);
}
