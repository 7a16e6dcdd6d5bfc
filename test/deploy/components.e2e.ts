import type { IDeployment } from 'kubernetes-models/apps/v1';
import type { IHorizontalPodAutoscaler } from 'kubernetes-models/autoscaling/v2';
import type { ICronJob } from 'kubernetes-models/batch/v1';
import type { IConfigMap, IContainer } from 'kubernetes-models/v1';
import { readdirSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { parse } from 'yaml';
import { describeWith } from '../support/describe-with.js';
import { brokenReferences } from '../support/manifest-references.js';
import { schemaProblems, typeProblems } from '../support/manifest-schema.js';
import { rules } from '../support/monitoring.js';
import { type Manifest, ofKind, podsOf, render, renderExample, spoilt, titleOf } from '../support/manifests.js';

const COMPONENTS = resolve(__dirname, '../../deploy/components');
const README = readFileSync(resolve(COMPONENTS, '../README.md'), 'utf8');
/** Overlays name every folder except the shared part of the import jobs. */
const names = readdirSync(COMPONENTS).filter((name) => name !== 'import-job');
const FILES = { 'rclone.conf': '[source]\ntype = alias\nremote = /\n', known_hosts: '' };

const podOf = (job: ICronJob) => job.spec!.jobTemplate.spec!.template.spec!;

/**
 * Renders the example with these components, as the comments of its kustomization.yaml say.
 * @param further another change of kustomization.yaml
 */
function withComponents(components: readonly string[], further = (text: string) => text): Manifest[] {
  const edit = (text: string) => {
    const fetching = text.replace(/# ( *- name: customer-data-fetch.*\n {2})# ( *files:)/, '$1$2');
    const own = components.includes('fetch') ? fetching : text;
    const stored = own.replace(/^ {2}- name: customer-data-secrets\n.*\n/m, '');
    return further(components.includes('external-secrets') ? stored : own);
  };
  return renderExample(components, edit, FILES);
}

/** Certificates are read for each connection (decision 187), and each Job of the fetch reads its own Secret. */
const READ_AGAIN = /^customer-data-(fetch-|database-certificate$)/;

describeWith('kubectl', 'deploy/components', () => {
  let all: Manifest[];
  beforeAll(() => void (all = withComponents([...names, 'monitoring'])));

  const jobs = (manifests = all) => ofKind<ICronJob>(manifests, 'CronJob');
  const fetching = (): IContainer[] => jobs().map((job) => podOf(job).initContainers![0]!);

  test('are all in the example, together and each alone without broken references', async () => {
    expect(await schemaProblems(all)).toEqual([]);
    expect(brokenReferences(all)).toEqual([]);
    // The others need the CronJob or the volume of stock-import.
    for (const name of ['external-secrets', 'scale-by-downloads', 'stock-import'])
      expect(brokenReferences(withComponents([name]))).toEqual([]);
    for (const name of ['catalogue-import', 'fetch'])
      expect(brokenReferences(withComponents(['stock-import', name]))).toEqual([]);
    expect(jobs(withComponents([]))).toEqual([]);
  }, 120_000);

  test('give each import job the account for imports, and one run at a time', () => {
    expect(jobs().map(titleOf)).toEqual([
      'CronJob customer-data-catalogue-import',
      'CronJob customer-data-stock-import',
    ]);
    for (const job of jobs()) {
      expect(job.spec).toMatchObject({ concurrencyPolicy: 'Forbid', timeZone: 'Etc/UTC' });
      const items = podOf(job).volumes!.flatMap(({ secret }) => secret?.items ?? []);
      expect(items.find(({ path }) => path === 'DATABASE_URL')!.key).toBe('DATABASE_IMPORT_URL');
    }
  });

  test('let an import job repeat a lost pod and a failed download, but no refused import (decision 188)', () => {
    for (const job of jobs()) {
      const { backoffLimit, podFailurePolicy } = job.spec!.jobTemplate.spec!;
      expect(backoffLimit).toBe(3);
      expect(podFailurePolicy!.rules).toEqual([
        { action: 'Ignore', onPodConditions: [{ type: 'DisruptionTarget', status: 'True' }] },
        { action: 'FailJob', onExitCodes: { containerName: 'import', operator: 'NotIn', values: [0] } },
      ]);
      expect(podOf(job).containers.map(({ name }) => name)).toEqual(['import']);
    }
  });

  test('fetch exactly the files that the job imports, with a pinned image and no privileges', () => {
    for (const job of jobs()) {
      const { metadata, spec } = job.spec!.jobTemplate.spec!.template;
      expect(spec!.containers[0]!.command!.at(-1)).toBe(`/imports/${metadata!.annotations!['customer-data/files']}`);
      expect(spec!.volumes!.find(({ name }) => name === 'imports')).toEqual({
        name: 'imports',
        emptyDir: { sizeLimit: '2Gi' },
      });
    }
    for (const { image, securityContext, workingDir } of fetching()) {
      expect(image).toMatch(/^rclone\/rclone:\d+\.\d+\.\d+$/);
      expect(workingDir).toBe('/imports');
      expect(securityContext).toEqual({
        runAsUser: 1000,
        runAsGroup: 1000,
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ['ALL'] },
      });
    }
    expect(ofKind(all, 'PersistentVolumeClaim')).toEqual([]);
    const script = ofKind<IConfigMap>(all, 'ConfigMap').find(({ data }) => data?.['fetch.sh']);
    expect(script!.data!.CHECKSUMS).toBe('required');
    expect(jobs(withComponents(['stock-import'])).flatMap((job) => podOf(job).initContainers ?? [])).toEqual([]);
  });

  test('fetch without checksums after the patch of the README', () => {
    const [, patch] = /```yaml\npatches:\n([^`]*customer-data-fetch[^`]*)```/.exec(README)!;
    const patched = withComponents(['stock-import', 'fetch'], (text) => text.replace(/^patches:$/m, `$&\n${patch}`));
    expect(ofKind<IConfigMap>(patched, 'ConfigMap').flatMap(({ data }) => data!.CHECKSUMS ?? [])).toEqual(['none']);
  });

  test('replace the pods of each Deployment when the Secret of the store changes (decision 189)', () => {
    const [external] = ofKind(all, 'ExternalSecret');
    const name = external!.metadata.name;
    expect(ofKind(all, 'Secret').map((one) => one.metadata.name)).toEqual([
      expect.stringMatching(/^customer-data-fetch-/),
    ]);
    for (const { metadata } of ofKind<IDeployment>(all, 'Deployment'))
      expect(metadata).toMatchObject({ annotations: { 'secret.reloader.stakater.com/reload': name } });
    const mounted = podsOf(all).flatMap(({ spec }) =>
      (spec.volumes ?? []).flatMap(({ secret }) => secret?.secretName ?? []),
    );
    expect(mounted.filter((secret) => !READ_AGAIN.test(secret))).toEqual(podsOf(all).map(() => name));
  });

  test('scale by 70 % of the download slots beside the CPU, by a metric of the adapter', () => {
    const [scaler] = ofKind<IHorizontalPodAutoscaler>(all, 'HorizontalPodAutoscaler');
    const settings = ofKind<IConfigMap>(all, 'ConfigMap').find(({ data }) => data?.DOWNLOAD_POOL_SIZE);
    const averageValue = String(0.7 * Number(settings!.data!.DOWNLOAD_POOL_SIZE));
    const values = readFileSync(resolve(COMPONENTS, 'scale-by-downloads/prometheus-adapter-values.yaml'), 'utf8');
    const [rule] = (parse(values) as { rules: { custom: { seriesQuery: string }[] } }).rules.custom;
    const [name] = rule!.seriesQuery.split('{');
    // test/deploy/monitoring.e2e.ts proves that the service has each metric of the rules.
    expect(rules.map(({ expr }) => String(expr)).join()).toContain(`(${name}[`);
    expect(scaler!.spec!.metrics).toEqual([
      { type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 70 } } },
      { type: 'Pods', pods: { metric: { name }, target: { type: 'AverageValue', averageValue } } },
    ]);
  });

  test.each<[string, string, string]>([
    ['"mountPath":"/imports","name":"imports"}', '"mountPath":"/imports","name":"files"}', 'volume files'],
    ['"key":"CHECKSUMS","name":"customer-data-fetch-', '"key":"CHECKSUMS","name":"other-', 'no ConfigMap other-'],
    ['"kind":"ExternalSecret"', '"kind":"Other"', 'there is no Secret customer-data-secrets'],
  ])('show a broken reference after %s -> %s', (from, to, problem) => {
    expect(brokenReferences(spoilt(all, (text) => text.replace(from, to))).join('\n')).toContain(problem);
  });
});

describeWith('kubectl', 'deploy/ with the types of recent Kubernetes versions', () =>
  describeWith('kubernetes-schemas', 'of npm', () => {
    let everything: Manifest[];
    beforeAll(() => void (everything = [...withComponents([...names, 'monitoring']), ...render('overlays/sandbox')]));

    test.each(['1.35', '1.36', '1.37'])(
      'matches Kubernetes %s',
      (version) => {
        expect(typeProblems(version, everything)).toEqual([]);
      },
      120_000,
    );

    test('fails with a misspelt field, a wrong type and a missing field', () => {
      const faults = [
        ['"progressDeadlineSeconds"', '"progressDeadline"', 'progressDeadline'],
        ['"runAsUser":1000', '"runAsUser":"1000"', "'string' is not assignable to type 'number'"],
        ['"maxReplicas":6,', '', "Property 'maxReplicas' is missing"],
        ['"refreshInterval":', '"refresh":', 'refresh'],
      ] as const;
      const other = faults.reduce(
        (manifests, [from, to]) => spoilt(manifests, (text) => text.replace(from, to)),
        everything,
      );
      const problems = typeProblems('1.37', other).join('\n');
      for (const [, , problem] of faults) expect(problems).toContain(problem);
    }, 120_000);
  }),
);
