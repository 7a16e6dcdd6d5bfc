// Reads the metrics of the service.

/**
 * The value of a metric.
 * @param name without the prefix `customer_data_`
 * @param label the value of a label; default: the metric has no labels
 */
export async function metric({ managementUrl }, name, label) {
  const text = await (await fetch(`${managementUrl}/metrics`)).text();
  const labels = label ? `\\{[^}]*"${label}"[^}]*\\}` : '';
  return Number(new RegExp(`^customer_data_${name}${labels} (.*)$`, 'm').exec(text)[1]);
}
