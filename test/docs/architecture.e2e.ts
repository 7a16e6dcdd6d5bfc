import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';

const ROOT = resolve(import.meta.dirname, '../..');
const SRC = join(ROOT, 'src');
const text = readFileSync(join(ROOT, 'docs/architecture.md'), 'utf8');

/** The folders and files that a cell of the table names. `types`: only types may be imported from it. */
function named(cell: string): { name: string; types: boolean }[] {
  return cell
    .split(/, | and /)
    .flatMap((clause) =>
      [...clause.matchAll(/`([^`]+)`/g)].map(([, name]) => ({ name: name!, types: clause.includes('types of') })),
    );
}

const [, group] = /^The data group is (.*?)\. /m.exec(text)!;
const rows = [...text.matchAll(/^\| `([\w-]+)\/` +\| [^|]+ \| ([^|]+) \|$/gm)].map(([, folder, cell]) => ({
  folder: folder!,
  all: cell!.startsWith('services of all'),
  own: named(cell!),
  ofGroup: cell!.includes('the data group') ? named(group!) : [],
}));

interface Import {
  /** Like `path`, relative to src/. */
  file: string;
  path: string;
  types: boolean;
}

/** The imports of a folder's files from other folders. */
function importsOf(folder: string): Import[] {
  const files = readdirSync(join(SRC, folder), { recursive: true, encoding: 'utf8' });
  return files
    .filter((file) => /(?<!\.spec)\.ts$/.test(file))
    .flatMap((name) => {
      const file = join(folder, name);
      const code = readFileSync(join(SRC, file), 'utf8');
      return [...code.matchAll(/^import (type )?[^;]*?'(\.[^']+)\.js';$/gm)].map(([, types, path]) => ({
        file,
        path: `${relative(SRC, join(SRC, dirname(file), path!))}.ts`,
        types: types !== undefined,
      }));
    })
    .filter(({ path }) => !path.startsWith(`${folder}/`) && !path.endsWith('.entity.ts'));
}

const isOf = (path: string, name: string) => path === name || path.startsWith(`${name}/`);

test('docs/architecture.md lists every folder of src/', () => {
  const folders = readdirSync(SRC, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  expect(rows.map(({ folder }) => folder).toSorted()).toEqual(folders.map(({ name }) => name).toSorted());
});

test.each(rows)(
  '$folder/ imports exactly the folders that docs/architecture.md lists',
  ({ folder, all, own, ofGroup }) => {
    const imports = importsOf(folder);
    const isAllowed = ({ path, types }: Import) =>
      [...own, ...ofGroup].some((one) => isOf(path, one.name) && (types || !one.types));
    if (!all) expect(imports.filter((one) => !isAllowed(one))).toEqual([]);
    // An endpoint may import any part of the data group.
    expect(own.filter(({ name }) => !imports.some(({ path }) => isOf(path, name)))).toEqual([]);
  },
);

/** The imports of the files in some folders, including imports of types. */
function importGraph(folders: readonly string[]): ReadonlyMap<string, readonly string[]> {
  const files = folders.flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name)),
  );
  const sources = files.filter((file) => file.endsWith('.ts') && !file.includes('node_modules'));
  return new Map(
    sources.map((file) => {
      const code = readFileSync(join(ROOT, file), 'utf8');
      const paths = [...code.matchAll(/^(?:import|export)\b[^;]*?'(\.[^']+)\.js';$/gm)].map(([, path]) => path!);
      return [file, paths.map((path) => `${join(dirname(file), path)}.ts`)];
    }),
  );
}

/** The import cycles of a graph, each listed once. */
function cyclesOf(graph: ReadonlyMap<string, readonly string[]>): string[] {
  const cycles: string[] = [];
  const done = new Set<string>();
  const visit = (file: string, path: readonly string[]): void => {
    if (path.includes(file)) return void cycles.push([...path.slice(path.indexOf(file)), file].join(' → '));
    if (done.has(file)) return;
    for (const imported of graph.get(file) ?? []) visit(imported, [...path, file]);
    done.add(file);
  };
  for (const file of graph.keys()) visit(file, []);
  return cycles;
}

test('the code has no import cycle, not even of types', () => {
  const graph = importGraph(['src', 'conformance', 'test']);
  expect(graph.get('src/main.ts')).toContain('src/service.ts');
  expect(cyclesOf(graph)).toEqual([]);
});

test('cyclesOf finds every cycle', () => {
  const graph = new Map([
    ['a', ['b', 'd']],
    ['b', ['c']],
    ['c', ['b']],
    ['d', ['c', 'a']],
  ]);
  expect(cyclesOf(graph)).toEqual(['b → c → b', 'a → d → a']);
});
