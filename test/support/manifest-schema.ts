import { join, resolve } from 'node:path';
import ts from 'typescript';
import { type Manifest, titleOf } from './manifests.js';

const MONITORING = 'monitoring.coreos.com/';
const TESTS = resolve(__dirname, '..');
const EXTERNAL_SECRETS = 'external-secrets.io/';

/**
 * Checks objects against the Kubernetes schemas: values against the schemas, and field names against the types
 * generated from them, because the schemas accept misspelt fields. Skips external secrets, see {@link typeProblems}.
 */
export async function schemaProblems(manifests: readonly Manifest[]): Promise<string[]> {
  const known = manifests.filter(({ apiVersion }) => !apiVersion.startsWith(EXTERNAL_SECRETS));
  const types = unknownFields(known, 'deploy', (one) => `import('${modelsOf(one)}').I${one.kind}`);
  return [...(await wrongValues(known)), ...types];
}

/**
 * Checks fields and their types against one version of Kubernetes, and external secrets against their types. Needs the
 * packages of test/kubernetes-schemas.
 */
export function typeProblems(version: string, manifests: readonly Manifest[]): string[] {
  return unknownFields(manifests, 'kubernetes-schemas', ({ apiVersion, kind }) => {
    if (apiVersion.startsWith(EXTERNAL_SECRETS))
      return `import('@kubernetes-models/external-secrets/${apiVersion}').I${kind}`;
    if (apiVersion.startsWith(MONITORING)) return 'object';
    const [group, number] = apiVersion.includes('/') ? apiVersion.split('/') : ['core', apiVersion];
    return `import('kubernetes-${version}/types/input.js').${group!.split('.')[0]}.${number}.${kind}`;
  });
}

async function wrongValues(manifests: readonly Manifest[]): Promise<string[]> {
  const problems = await Promise.all(
    manifests.map(async (manifest) => {
      const models = (await import(modelsOf(manifest))) as Record<string, ModelClass>;
      const type = models[manifest.kind];
      if (!type) return `${titleOf(manifest)}: there is no ${manifest.kind} in ${manifest.apiVersion}`;
      try {
        new type(manifest).validate();
        return undefined;
      } catch (error) {
        return `${titleOf(manifest)}: ${(error as Error).message}`;
      }
    }),
  );
  return problems.filter((problem) => problem !== undefined);
}

/** The package with the schema of an object. */
function modelsOf({ apiVersion }: Manifest): string {
  const family = apiVersion.startsWith(MONITORING) ? '@kubernetes-models/prometheus-operator' : 'kubernetes-models';
  return `${family}/${apiVersion}`;
}

type ModelClass = new (data: Manifest) => { validate(): void };

/**
 * Lets the compiler check each object as a literal of its type. A literal may have no field that its type lacks.
 * @param folder the folder in `test/` whose packages contain the types
 */
function unknownFields(manifests: readonly Manifest[], folder: string, typeOf: (one: Manifest) => string): string[] {
  const file = join(TESTS, folder, 'rendered.ts');
  // One line per object, so that the line of a problem identifies the object.
  const text = manifests
    .map((manifest) => {
      const literal = `{ ${JSON.stringify(titleOf(manifest))}: ${JSON.stringify(manifest)} }`;
      return `(${literal}) satisfies Record<string, ${typeOf(manifest)}>;`;
    })
    .join('\n');
  const options = {
    module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
    target: ts.ScriptTarget.ES2023,
    strict: true,
    skipLibCheck: true,
    noEmit: true,
    types: [],
  };
  const host = ts.createCompilerHost(options);
  const onDisk = host.getSourceFile.bind(host);
  host.getSourceFile = (name, ...rest) =>
    name === file ? ts.createSourceFile(name, text, ts.ScriptTarget.ES2023) : onDisk(name, ...rest);
  const program = ts.createProgram([file], options, host);
  return ts.getPreEmitDiagnostics(program).map(({ file: source, start, messageText }) => {
    const line = source?.fileName === file ? source.getLineAndCharacterOfPosition(start!).line : undefined;
    const title = line === undefined ? 'The compiler' : titleOf(manifests[line]!);
    return `${title}: ${ts.flattenDiagnosticMessageText(messageText, ' ')}`;
  });
}
