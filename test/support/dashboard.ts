/** The part of a Grafana dashboard that its tests check. */
export interface Dashboard {
  uid: string;
  schemaVersion: number;
  templating: { list: { name: string; query: string | { query: string } }[] };
  panels: Panel[];
}

interface Panel {
  id: number;
  type: string;
  title: string;
  description?: string;
  datasource?: { type: string; uid: string };
  gridPos: { x: number; y: number; w: number; h: number };
  fieldConfig?: { defaults: { unit?: string; thresholds?: { steps: { value: number | null }[] } } };
  targets?: { expr: string }[];
}

const DATASOURCE = '${datasource}';
const VARIABLES = ['datasource', 'namespace', 'instance'];
const COLUMNS = 24;

/** The expressions of all panels. */
export function expressionsOf({ panels }: Dashboard): string[] {
  return panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr));
}

/** Returns the problems that prevent a dashboard from being shown or understood. */
export function dashboardProblems({ templating, panels }: Dashboard): string[] {
  const names = templating.list.map(({ name }) => name);
  const shown = panels.filter(({ type }) => type !== 'row');
  return [
    ...(names.join() === VARIABLES.join() ? [] : [`its variables are ${names.join(', ')}`]),
    ...duplicates(panels.map(({ id }) => String(id))).map((id) => `two panels have the id ${id}`),
    ...duplicates(panels.map(({ title }) => title)).map((title) => `two panels are called ${title}`),
    ...shown.flatMap((panel) => panelProblems(panel).map((problem) => `${panel.title}: ${problem}`)),
    ...panels.flatMap((one, index) =>
      panels.slice(index + 1).flatMap((other) => (overlap(one, other) ? [`${one.title} covers ${other.title}`] : [])),
    ),
  ];
}

function panelProblems({ type, description, datasource, fieldConfig, targets = [], gridPos }: Panel): string[] {
  const narrow = targets.every(({ expr }) =>
    [...expr.matchAll(/\{([^}]*)\}/g)].every(([, matchers]) =>
      ['namespace=~"$namespace"', 'instance=~"$instance"'].every((matcher) => matchers!.includes(matcher)),
    ),
  );
  const problems: [boolean, string][] = [
    [type !== 'timeseries', `${type} is not a supported panel type`],
    [!description, 'it has no description'],
    [!fieldConfig?.defaults.unit, 'it has no unit'],
    [datasource?.type !== 'prometheus' || datasource.uid !== DATASOURCE, 'it does not query the selected data source'],
    [targets.length === 0, 'it has no query'],
    [!narrow, 'it ignores the selected namespace or instance'],
    [gridPos.x + gridPos.w > COLUMNS, 'it exceeds the grid'],
  ];
  return problems.filter(([holds]) => holds).map(([, problem]) => problem);
}

function duplicates(values: readonly string[]): string[] {
  return values.filter((value, index) => values.indexOf(value) < index);
}

function overlap({ gridPos: a }: Panel, { gridPos: b }: Panel): boolean {
  return a.x < b.x + b.w && b.x < a.x + a.w && a.y < b.y + b.h && b.y < a.y + a.h;
}
