import { execFileSync } from 'node:child_process';
import { resolve } from 'node:path';
import type { ICronJob, IJob } from 'kubernetes-models/batch/v1';
import type { IDeployment } from 'kubernetes-models/apps/v1';
import type { IPodSpec } from 'kubernetes-models/v1';
import { parseAllDocuments } from 'yaml';

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
  const path = resolve(__dirname, '../../deploy', folder);
  const text = execFileSync('kubectl', ['kustomize', path], { encoding: 'utf8' });
  return parseAllDocuments(text).map((document) => document.toJS() as Manifest);
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
