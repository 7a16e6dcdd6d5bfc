import { execFileSync } from 'node:child_process';
import { resolve } from 'node:path';
import type { ICronJob, IJob } from 'kubernetes-models/batch/v1';
import type { IDeployment } from 'kubernetes-models/apps/v1';
import type { IPodSpec } from 'kubernetes-models/v1';
import { parseAllDocuments } from 'yaml';

export type Labels = Record<string, string>;

/** What all objects of Kubernetes have. */
export interface Manifest {
  apiVersion: string;
  kind: string;
  metadata: { name: string; namespace?: string; labels?: Labels };
}

/** Pods that some object makes. */
export interface Pods {
  owner: string;
  labels: Labels;
  spec: IPodSpec;
}

/** The objects that a kustomization comes to. @param folder in `deploy/` @throws with what kubectl says */
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

/** A copy with a fault in it. @throws if the fault changes nothing */
export function spoilt(manifests: readonly Manifest[], spoil: (text: string) => string): Manifest[] {
  const text = JSON.stringify(manifests);
  const other = spoil(text);
  if (other === text) throw new Error('There is nothing like that to spoil');
  return JSON.parse(other) as Manifest[];
}

function templateOf(manifest: Manifest) {
  if (manifest.kind === 'CronJob') return (manifest as Manifest & ICronJob).spec!.jobTemplate.spec!.template;
  if (manifest.kind === 'Job') return (manifest as Manifest & IJob).spec!.template;
  if (manifest.kind === 'Deployment') return (manifest as Manifest & IDeployment).spec!.template;
  return undefined;
}
