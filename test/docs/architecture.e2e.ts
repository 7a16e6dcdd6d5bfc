import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';

const ROOT = resolve(import.meta.dirname, '../..');
const SRC = join(ROOT, 'src');
const text = readFileSync(join(ROOT, 'docs/architecture.md'), 'utf8');

/** What a cell of the table names: folders or files, of which types alone where it says so. */
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
  /** Both within src/. */
  file: string;
  path: string;
  types: boolean;
}

/** What the files of a folder import of others. */
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

test('the table has every folder', () => {
  const folders = readdirSync(SRC, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  expect(rows.map(({ folder }) => folder).toSorted()).toEqual(folders.map(({ name }) => name).toSorted());
});

test.each(rows)('$folder/ imports what the table says, and all of that', ({ folder, all, own, ofGroup }) => {
  const imports = importsOf(folder);
  const isAllowed = ({ path, types }: Import) =>
    [...own, ...ofGroup].some((one) => isOf(path, one.name) && (types || !one.types));
  if (!all) expect(imports.filter((one) => !isAllowed(one))).toEqual([]);
  // Of the group each endpoint takes what it needs.
  expect(own.filter(({ name }) => !imports.some(({ path }) => isOf(path, name)))).toEqual([]);
});

/** The files of some folders with the files that each imports, types included. */
function importGraph(folders: readonly string[]): ReadonlyMap<string, readonly string[]> {
  const files = folders.flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name)),
  );
  const sources = files.filter((file) => file.endsWith('.ts'));
  return new Map(
    sources.map((file) => {
      const code = readFileSync(join(ROOT, file), 'utf8');
      const paths = [...code.matchAll(/^(?:import|export)\b[^;]*?'(\.[^']+)\.js';$/gm)].map(([, path]) => path!);
      return [file, paths.map((path) => `${join(dirname(file), path)}.ts`)];
    }),
  );
}

/** The paths along which a file imports itself, each found once. */
function circlesOf(graph: ReadonlyMap<string, readonly string[]>): string[] {
  const circles: string[] = [];
  const done = new Set<string>();
  const visit = (file: string, path: readonly string[]): void => {
    if (path.includes(file)) return void circles.push([...path.slice(path.indexOf(file)), file].join(' → '));
    if (done.has(file)) return;
    for (const imported of graph.get(file) ?? []) visit(imported, [...path, file]);
    done.add(file);
  };
  for (const file of graph.keys()) visit(file, []);
  return circles;
}

test('no file imports itself through others, not even for types', () => {
  const graph = importGraph(['src', 'conformance', 'test']);
  expect(graph.get('src/main.ts')).toContain('src/service.ts');
  expect(circlesOf(graph)).toEqual([]);
});

test('the search for circles finds them', () => {
  const graph = new Map([
    ['a', ['b', 'd']],
    ['b', ['c']],
    ['c', ['b']],
    ['d', ['c', 'a']],
  ]);
  expect(circlesOf(graph)).toEqual(['b → c → b', 'a → d → a']);
});
