/** A sample of Prometheus, or a series of a rule. */
export interface Series {
  name: string;
  labels: Readonly<Record<string, string>>;
}

/** A selector in an expression: a metric with conditions on its labels. */
interface Selector {
  metric: string;
  text: string;
  matchers: { label: string; operator: string; value: string }[];
}

/** Labels that Prometheus adds to the samples of a target. */
const LABELS_OF_TARGETS = new Set(['job', 'namespace', 'instance', 'pod']);
const WORDS = new Set(['and', 'or', 'unless', 'bool', 'offset', 'inf', 'nan', 'group_left', 'group_right']);
const GROUPING = /\b(?:by|without|on|ignoring|group_left|group_right)\s*\(([^)]*)\)/g;
const SELECTOR = /(?<![\w:.$])([a-zA-Z_:][\w:]*)(?:\{([^}]*)\})?(?!\s*\(|[\w:])/g;

/** The samples in a response of /metrics. */
export function samplesIn(text: string): Series[] {
  return [...text.matchAll(/^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? \S+$/gm)].map(([, name, labels = '']) => ({
    name: name!,
    labels: Object.fromEntries([...labels.matchAll(/(\w+)="([^"]*)"/g)].map(([, label, value]) => [label!, value!])),
  }));
}

/**
 * Returns the parts of an expression that match nothing. These are selectors without a matching series, and grouping
 * labels that no series of the metric has. Neither promtool nor Prometheus reports these.
 */
export function unknownIn(expression: string, series: readonly Series[]): string[] {
  const selectors = selectorsIn(expression);
  const unmatched = selectors.filter((selector) => !series.some((one) => matches(selector, one)));
  const read = series.filter(({ name }) => selectors.some(({ metric }) => metric === name));
  const groups = [...expression.matchAll(GROUPING)].flatMap(([, labels]) => labels!.match(/\w+/g) ?? []);
  const unknown = groups.filter(
    (label) => !LABELS_OF_TARGETS.has(label) && !read.some(({ labels }) => labels[label] !== undefined),
  );
  return [...unmatched.map(({ text }) => text), ...unknown.map((label) => `by (${label})`)];
}

function selectorsIn(expression: string): Selector[] {
  return [...expression.replace(GROUPING, ' ').matchAll(SELECTOR)]
    .filter(([, word]) => !WORDS.has(word!.toLowerCase()))
    .map(([text, metric, matchers = '']) => ({
      text,
      metric: metric!,
      matchers: [...matchers.matchAll(/(\w+)\s*(=~|!~|!=|=)\s*"([^"]*)"/g)].map(([, label, operator, value]) => ({
        label: label!,
        operator: operator!,
        value: value!,
      })),
    }));
}

/** Whether a selector matches a series. The series must have each label of the conditions, also of negative ones. */
function matches({ metric, matchers }: Selector, { name, labels }: Series): boolean {
  return (
    metric === name &&
    matchers.every(({ label, operator, value }) => {
      if (LABELS_OF_TARGETS.has(label)) return true;
      const actual = labels[label];
      if (actual === undefined) return false;
      const same = operator.includes('~') ? new RegExp(`^(?:${value})$`).test(actual) : actual === value;
      return same !== operator.startsWith('!');
    })
  );
}
