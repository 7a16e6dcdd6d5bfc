import { join, resolve } from 'node:path';
import ts from 'typescript';
import { type Manifest, titleOf } from './manifests.js';

/**
 * What the schemas of Kubernetes have against these objects: values by the schemas themselves, names of fields by the types
 * made of them, since a schema lets a misspelt field pass.
 */
export async function schemaProblems(manifests: readonly Manifest[]): Promise<string[]> {
  return [...(await wrongValues(manifests)), ...unknownFields(manifests)];
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

/** The package with the schemas of such objects. */
function modelsOf({ apiVersion }: Manifest): string {
  const family = apiVersion.startsWith('monitoring.coreos.com/')
    ? '@kubernetes-models/prometheus-operator'
    : 'kubernetes-models';
  return `${family}/${apiVersion}`;
}

type ModelClass = new (data: Manifest) => { validate(): void };

/** The compiler checks each object as a literal of its type, where it may have no field that the type has not. */
function unknownFields(manifests: readonly Manifest[]): string[] {
  const file = join(resolve(__dirname, '..'), 'deploy/rendered.ts');
  // One line each, so that the line of a problem tells the object.
  const text = manifests
    .map((manifest) => {
      const type = `import('${modelsOf(manifest)}').I${manifest.kind}`;
      return `({ ${JSON.stringify(titleOf(manifest))}: ${JSON.stringify(manifest)} }) satisfies Record<string, ${type}>;`;
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
