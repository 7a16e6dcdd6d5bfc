import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { ICronJob, IJob } from 'kubernetes-models/batch/v1';
import type { IDeployment } from 'kubernetes-models/apps/v1';
import type { IPodSpec } from 'kubernetes-models/v1';
import { parseAllDocuments } from 'yaml';

const DEPLOY = resolve(__dirname, '../../deploy');

export type Labels = Record<string, string>;

/** The part that all Kubernetes objects have. */
export interface Manifest {
  apiVersion: string;
  kind: string;
  metadata: { name: string; namespace?: string; labels?: Labels };
}

/** The pods that an object creates. */
export interface Pods {
  owner: string;
  labels: Labels;
  spec: IPodSpec;
}

/**
 * Renders a kustomization into its objects.
 * @param folder the folder in `deploy/`
 * @throws with the message of kubectl
 */
export function render(folder: string): Manifest[] {
  const path = resolve(DEPLOY, folder);
  const text = execFileSync('kubectl', ['kustomize', path], { encoding: 'utf8' });
  return parseAllDocuments(text).map((document) => document.toJS() as Manifest);
}

/**
 * Renders overlays/example after changes that its comments describe.
 * @param components the components whose lines lose their comment sign, all others get one
 * @param edit a further change of kustomization.yaml
 * @param files files that the changed overlay names, with their content
 */
export function renderExample(
  components: readonly string[],
  edit = (text: string) => text,
  files: Readonly<Record<string, string>> = {},
): Manifest[] {
  const folder = mkdtempSync(join(tmpdir(), 'customer-data-overlay-'));
  try {
    // The site may have been built into docs-site/, and no overlay of the service needs it.
    cpSync(DEPLOY, folder, { recursive: true, filter: (path) => !path.startsWith(join(DEPLOY, 'docs-site')) });
    const overlay = join(folder, 'overlays/example');
    const text = readFileSync(join(overlay, 'kustomization.yaml'), 'utf8');
    const chosen = text.replaceAll(
      /^ {2}(?:# )?- \.\.\/\.\.\/(?:components\/)?([\w-]+) # EXAMPLE/gm,
      (line, name: string) => line.replace(/^ {2}(# )?/, components.includes(name) ? '  ' : '  # '),
    );
    writeFileSync(join(overlay, 'kustomization.yaml'), edit(chosen));
    for (const [name, content] of Object.entries(files)) writeFileSync(join(overlay, name), content);
    return render(overlay);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

export const titleOf = ({ kind, metadata }: Manifest): string => `${kind} ${metadata.name}`;

export function ofKind<T>(manifests: readonly Manifest[], kind: string): (Manifest & T)[] {
  return manifests.filter((manifest) => manifest.kind === kind) as (Manifest & T)[];
}

export function podsOf(manifests: readonly Manifest[]): Pods[] {
  return manifests.flatMap((manifest) => {
    const template = templateOf(manifest);
    if (!template) return [];
    return [{ owner: titleOf(manifest), labels: (template.metadata?.labels ?? {}) as Labels, spec: template.spec! }];
  });
}

/**
 * Returns a copy with a fault in it.
 * @throws if the fault changes nothing
 */
export function spoilt(manifests: readonly Manifest[], spoil: (text: string) => string): Manifest[] {
  const text = JSON.stringify(manifests);
  const other = spoil(text);
  if (other === text) throw new Error('The fault changes nothing: its text does not occur in the manifests');
  return JSON.parse(other) as Manifest[];
}

function templateOf(manifest: Manifest) {
  if (manifest.kind === 'CronJob') return (manifest as Manifest & ICronJob).spec!.jobTemplate.spec!.template;
  if (manifest.kind === 'Job') return (manifest as Manifest & IJob).spec!.template;
  if (manifest.kind === 'Deployment') return (manifest as Manifest & IDeployment).spec!.template;
  return undefined;
}
