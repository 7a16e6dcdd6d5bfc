import type { IDeployment } from 'kubernetes-models/apps/v1';
import type { IIngress } from 'kubernetes-models/networking.k8s.io/v1';
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parse } from 'yaml';
import type { IngressOptions } from './ingress-nginx.js';

const BASE = resolve(__dirname, '../../deploy/base');
const read = (file: string) => readFileSync(join(BASE, file), 'utf8');

/** The settings in deploy/base, without secrets and defaults. */
export function shippedSettings(): Record<string, string> {
  const lines = read('settings.env')
    .split('\n')
    .filter((line) => /^[A-Z_]+=./.test(line));
  const all = lines.map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)] as const);
  return Object.fromEntries(all.filter(([name]) => !name.endsWith('_FILE')));
}

/** The replacement strategy, pod and container of deploy/base. */
export function shippedPods() {
  const { spec } = parse(read('deployment.yaml')) as IDeployment;
  const [container] = spec!.template.spec!.containers;
  return { strategy: spec!.strategy!, pod: spec!.template.spec!, container: container! };
}

/**
 * The nginx settings that the annotations of deploy/base/ingress.yaml yield with the community's controller and with
 * F5's.
 */
export function shippedIngress(): { community: IngressOptions; f5: IngressOptions } {
  const annotations = (parse(read('ingress.yaml')) as IIngress).metadata!.annotations!;
  const of = (prefix: string, bodySize: string): IngressOptions => {
    const value = (name: string) => annotations[`${prefix}/${name}`]!;
    const seconds = (name: string) => value(name).replace(/^\d+$/, '$&s');
    return {
      buffering: value('proxy-buffering').replace('False', 'off'),
      bufferSize: value('proxy-buffer-size'),
      readTimeout: seconds('proxy-read-timeout'),
      connectTimeout: seconds('proxy-connect-timeout'),
      bodySize: value(bodySize),
    };
  };
  return {
    community: of('nginx.ingress.kubernetes.io', 'proxy-body-size'),
    f5: of('nginx.org', 'client-max-body-size'),
  };
}
