import { plainToInstance } from 'class-transformer';
import type { IDeployment } from 'kubernetes-models/apps/v1';
import type { IJob } from 'kubernetes-models/batch/v1';
import type { INetworkPolicy } from 'kubernetes-models/networking.k8s.io/v1';
import type { IConfigMap, IContainer, ISecret, IService } from 'kubernetes-models/v1';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { readSettings, Settings } from '../../src/config/settings.js';
import { describeWith } from '../support/describe-with.js';
import { brokenReferences } from '../support/manifest-references.js';
import { schemaProblems } from '../support/manifest-schema.js';
import { type Manifest, ofKind, type Pods, podsOf, render, spoilt, titleOf } from '../support/manifests.js';

const PROJECT = resolve(__dirname, '../..');
const SECRETS = '/etc/customer-data/secrets';
/** Installations of the service for customers. The sandbox has neither secrets nor a database server. */
const overlays = readdirSync(join(PROJECT, 'deploy/overlays')).filter(
  (name) => !['docs-site', 'sandbox'].includes(name),
);
const namesOfSettings = Object.keys(plainToInstance(Settings, {}));

describeWith('kubectl', 'deploy/', () => {
  describe.each(overlays)('overlays/%s', (overlay) => {
    let manifests: Manifest[];
    beforeAll(() => void (manifests = render(`overlays/${overlay}`)));

    const only = <T>(kind: string, name = /./) => {
      const found = ofKind<T>(manifests, kind).filter(({ metadata }) => name.test(metadata.name));
      expect(found.map(titleOf)).toHaveLength(1);
      return found[0]!;
    };
    const settings = () => only<IConfigMap>('ConfigMap', /^customer-data-settings-/).data!;
    const secrets = () => only<ISecret>('Secret').data!;
    const service = () => only<IDeployment>('Deployment', /^customer-data$/);
    /** The files of the secrets volume of each pod, each with the key of the Secret that it contains. */
    const secretFiles = () =>
      podsOf(manifests).map(({ owner, spec }) => {
        const items = (spec.volumes ?? []).flatMap(({ secret }) => secret?.items ?? []);
        return { owner, files: Object.fromEntries(items.map(({ path, key }) => [path, key])) };
      });
    const containers = (): [string, IContainer][] =>
      podsOf(manifests).flatMap(({ owner, spec }) =>
        spec.containers.map((one) => [owner, one] as [string, IContainer]),
      );

    test('contains every kind of object, and each name once', () => {
      const titles = manifests.map(titleOf);
      expect(new Set(titles).size).toBe(titles.length);
      const kinds = new Set(manifests.map(({ kind }) => kind));
      for (const kind of ALL_KINDS) expect(kinds).toContain(kind);
    });

    test('matches the schemas of Kubernetes', async () => {
      expect(await schemaProblems(manifests)).toEqual([]);
    }, 120_000);

    test('has no broken reference', () => {
      expect(brokenReferences(manifests)).toEqual([]);
    });

    test('is all in one namespace', () => {
      const namespace = only('Namespace').metadata.name;
      const elsewhere = manifests.filter(
        ({ kind, metadata }) => kind !== 'Namespace' && metadata.namespace !== namespace,
      );
      expect(elsewhere.map(titleOf)).toEqual([]);
    });

    test('contains every setting and no unknown one', () => {
      const secretNames = [...new Set(secretFiles().flatMap(({ files }) => Object.keys(files)))];
      const named = Object.keys(settings());
      const missing = namesOfSettings.filter(
        (name) => !named.includes(name) && !(secretNames.includes(name) && named.includes(`${name}_FILE`)),
      );
      const known = new Set([...namesOfSettings, ...secretNames.map((name) => `${name}_FILE`)]);
      expect({ missing, unknown: named.filter((name) => !known.has(name)) }).toEqual({ missing: [], unknown: [] });
      expect(secretNames.filter((name) => !namesOfSettings.includes(name))).toEqual([]);
    });

    test('has valid settings as soon as the secrets are filled in', () => {
      const { PORT, MANAGEMENT_PORT, MIGRATE_ON_START, DEMO_DATA, NODE_ENV } = settingsWith(settings(), FILLED_IN);
      expect({ MIGRATE_ON_START, DEMO_DATA, NODE_ENV }).toEqual({
        MIGRATE_ON_START: false,
        DEMO_DATA: false,
        NODE_ENV: 'production',
      });
      expect(service().spec!.template.spec!.containers[0]!.ports).toEqual([
        { name: 'http', containerPort: PORT },
        { name: 'management', containerPort: MANAGEMENT_PORT },
      ]);
    });

    test('prevents the service from starting with the secrets of the repository', () => {
      const shipped = Object.entries(secrets()).map(([name, value]) => [name, Buffer.from(value, 'base64').toString()]);
      const start = () => settingsWith(settings(), Object.fromEntries(shipped) as Record<string, string>);
      for (const name of ['DATABASE_URL', 'JWT_SECRET', 'REDIS_URL']) expect(start).toThrow(`${name} must`);
    });

    test('gives each pod the account of its task alone, and only the service the secret that signs tokens', () => {
      const accounts = secretFiles().map(({ owner, files }) => [owner, files.DATABASE_URL, 'JWT_SECRET' in files]);
      expect(accounts.toSorted()).toEqual([
        ['CronJob customer-data-stock-import', 'DATABASE_IMPORT_URL', false],
        ['Deployment customer-data', 'DATABASE_URL', true],
        ['Deployment customer-data-commands', 'DATABASE_IMPORT_URL', false],
        ['Job customer-data-migration', 'DATABASE_OWNER_URL', false],
      ]);
      for (const { files } of secretFiles()) {
        const filled = Object.keys(files).map((name) => [name, FILLED_IN[name as keyof typeof FILLED_IN]]);
        const signing = 'JWT_SECRET' in files;
        const { DATABASE_URL } = settingsWith(settings(), Object.fromEntries(filled), { signing });
        expect(DATABASE_URL).toBe(FILLED_IN.DATABASE_URL);
      }
      const mounted = secretFiles().flatMap(({ files }) => Object.values(files));
      expect(new Set(mounted)).toEqual(new Set(Object.keys(secrets())));
    });

    test('mounts the files that settings name into every pod', () => {
      const paths = Object.entries(settings()).filter(([name, path]) => name.endsWith('_FILE') && path);
      expect(paths.map(([name]) => name)).toEqual(expect.arrayContaining(['DATABASE_URL_FILE', 'JWT_SECRET_FILE']));
      for (const [owner, { volumeMounts = [] }] of containers())
        for (const [, path] of paths)
          expect([owner, volumeMounts.map(({ mountPath }) => mountPath)]).toEqual([
            owner,
            expect.arrayContaining([path.slice(0, path.lastIndexOf('/'))]),
          ]);
    });

    test('leaves the service enough time to shut down', () => {
      const { DRAIN_SECONDS } = settingsWith(settings(), FILLED_IN);
      const [, grace] = /^const GRACE_MS = (\d+)_000;$/m.exec(readFileSync(join(PROJECT, 'src/service.ts'), 'utf8'))!;
      const { terminationGracePeriodSeconds } = service().spec!.template.spec!;
      expect(terminationGracePeriodSeconds).toBeGreaterThan(DRAIN_SECONDS + Number(grace));
    });

    test('removes a pod only when another is ready', () => {
      const { strategy } = service().spec!;
      expect(strategy!.rollingUpdate).toEqual({ maxSurge: 1, maxUnavailable: 0 });
    });

    test('probes the management port, with a liveness probe that ignores the database', () => {
      const [container] = service().spec!.template.spec!.containers;
      const { startupProbe, livenessProbe, readinessProbe } = container!;
      expect([startupProbe, livenessProbe, readinessProbe].map((probe) => probe!.httpGet)).toEqual([
        { path: '/livez', port: 'management' },
        { path: '/livez', port: 'management' },
        { path: '/readyz', port: 'management' },
      ]);
      expect(readinessProbe!.timeoutSeconds! * 1000).toBeGreaterThan(Number(settings().DATABASE_WAIT_MS));
    });

    test('gives pods no privileges', () => {
      for (const { owner, spec } of podsOf(manifests)) {
        expect([owner, spec.automountServiceAccountToken, spec.securityContext]).toEqual([
          owner,
          false,
          { runAsNonRoot: true, fsGroup: 1000, seccompProfile: { type: 'RuntimeDefault' } },
        ]);
        for (const { securityContext, resources } of spec.containers) {
          expect(securityContext).toEqual({
            allowPrivilegeEscalation: false,
            readOnlyRootFilesystem: true,
            capabilities: { drop: ['ALL'] },
          });
          // The service reserves the disk space of its spool.
          const disk = owner === 'Deployment customer-data' ? ['ephemeral-storage'] : [];
          expect(Object.keys(resources!.requests!).toSorted()).toEqual(['cpu', ...disk, 'memory']);
          expect(Object.keys(resources!.limits!)).toEqual(['memory']);
        }
      }
    });

    test('admits only the ingress controller to the public port and only monitoring to the management port', () => {
      const allowed = ofKind<INetworkPolicy>(manifests, 'NetworkPolicy').flatMap(({ spec }) =>
        (spec!.ingress ?? []).map(({ from = [], ports = [] }) => [
          from.map(({ namespaceSelector }) => namespaceSelector?.matchLabels?.['kubernetes.io/metadata.name']),
          ports.map(({ port }) => port),
        ]),
      );
      expect(allowed).toEqual([
        [['ingress-nginx'], ['http']],
        [['monitoring'], ['management']],
      ]);
      const publicPorts = only<IService>('Service', /^customer-data$/).spec!.ports!;
      expect(publicPorts.map(({ targetPort }) => targetPort)).toEqual(['http']);
    });

    test('runs one image with a fixed tag, and commands of that image', () => {
      const images = new Set(containers().map(([, { image }]) => image));
      expect([...images]).toEqual([expect.stringMatching(/:(?!latest$)[\w.-]+$/)]);
      const commands = containers().flatMap(([owner, { command }]) => (command ? [[owner, command]] : []));
      expect(commands).toEqual(
        expect.arrayContaining([
          ['Job customer-data-migration', ['node', 'dist/cli.js', 'migrate']],
          [
            'CronJob customer-data-stock-import',
            ['node', 'dist/cli.js', 'import', '--max-age', '6h', '/imports/stock.csv'],
          ],
        ]),
      );
    });

    test('gives the migration all its objects in the first step of the README', () => {
      const [, selector] = /-l '([^']+)'/.exec(readFileSync(join(PROJECT, 'deploy/README.md'), 'utf8'))!;
      const [, components] = /^app\.kubernetes\.io\/component in \(([\w, -]+)\)$/.exec(selector!)!;
      const first = manifests.filter(({ metadata }) =>
        components!.split(/, */).includes(metadata.labels?.['app.kubernetes.io/component'] ?? ''),
      );
      expect(first.map(({ kind }) => kind).toSorted()).toEqual(['ConfigMap', 'Job', 'Secret']);
      expect(brokenReferences(first)).toEqual([]);
      expect(ofKind<IJob>(first, 'Job')).toHaveLength(1);
    });

    test.each<[string, (text: string) => string, string]>([
      [
        'a misspelt field',
        (text) => text.replace('readOnlyRootFilesystem', 'readOnlyRootFilesytem'),
        'readOnlyRootFilesytem',
      ],
      ['a wrong type', (text) => text.replace('"containerPort":3000', '"containerPort":"3000"'), 'must be integer'],
      ['an invalid quantity', (text) => text.replace('"512Mi"', '"512 MB"'), 'quantity'],
      ['an unknown kind', (text) => text.replace('"kind":"Ingress"', '"kind":"Ingres"'), 'there is no Ingres in'],
    ])('fails the schemas with %s', async (_what, spoil, problem) => {
      expect((await schemaProblems(spoilt(manifests, spoil))).join('\n')).toContain(problem);
    });

    test.each<[string, string, string]>([
      ['"name":"customer-data-settings-', '"name":"other-settings-', 'there is no ConfigMap customer-data-settings-'],
      ['"secretName":"customer-data-secrets-', '"secretName":"other-', 'there is no Secret other-'],
      ['"claimName":"customer-data-imports"', '"claimName":"other"', 'there is no PersistentVolumeClaim other'],
      ['"path":"/readyz","port":"management"', '"path":"/readyz","port":"probes"', 'a probe uses port probes'],
      ['"targetPort":"http"', '"targetPort":"web"', 'Service customer-data: pods have no port web'],
      ['"service":{"name":"customer-data"', '"service":{"name":"customer-data-management"', 'has no public port http'],
      [
        '"kind":"Deployment","name":"customer-data"',
        '"kind":"Deployment","name":"other"',
        'there is no Deployment other',
      ],
      ['"ports":[{"port":"management"}]', '"ports":[{"port":"metrics"}]', 'pods have no port metrics'],
      ['"selector":{"matchLabels":{"app', '"selector":{"matchLabels":{"other', 'its own pods have no labels'],
      ['"mountPath":"/imports","name":"imports"', '"mountPath":"/imports","name":"files"', 'volume files'],
    ])('shows a broken reference after %s -> %s', (from, to, problem) => {
      expect(brokenReferences(spoilt(manifests, (text) => text.replace(from, to))).join('\n')).toContain(problem);
    });
  });

  describe('overlays/sandbox', () => {
    let manifests: Manifest[];
    beforeAll(() => void (manifests = render('overlays/sandbox')));
    const settings = () => ofKind<IConfigMap>(manifests, 'ConfigMap')[0]!.data!;

    test('has no secret, no migration and no autoscaler', () => {
      const kinds = manifests.map(({ kind }) => kind).toSorted();
      const other = new Set(['CronJob', 'HorizontalPodAutoscaler', 'Job', 'Secret']);
      const expected = ALL_KINDS.filter((kind) => !other.has(kind));
      // Two policies of the network and two Services.
      expect(kinds).toEqual([...expected, 'Namespace', 'NetworkPolicy', 'Service'].toSorted());
    });

    test('matches the schemas of Kubernetes', async () => {
      expect(await schemaProblems(manifests)).toEqual([]);
    }, 120_000);

    test('has no broken reference, and one namespace that no other overlay has', () => {
      expect(brokenReferences(manifests)).toEqual([]);
      const namespaces = manifests.map(({ kind, metadata }) =>
        kind === 'Namespace' ? metadata.name : metadata.namespace,
      );
      expect(new Set(namespaces).size).toBe(1);
      for (const overlay of overlays)
        expect(render(`overlays/${overlay}`).map(({ metadata }) => metadata.name)).not.toContain(namespaces[0]);
    });

    test('has one pod at a time, because each pod has its own database and its own tokens', () => {
      const { replicas, strategy } = ofKind<IDeployment>(manifests, 'Deployment')[0]!.spec!;
      expect([replicas, strategy]).toEqual([1, { type: 'Recreate' }]);
    });

    test('has valid settings, with SANDBOX and no secret', () => {
      const names = Object.keys(settings()).map((name) => name.replace(/(URL|URLS|SECRET)_FILE$/, '$1'));
      expect(names.toSorted()).toEqual(namesOfSettings.toSorted());
      expect(readSettings(settings()).SANDBOX).toBe(true);
      const [{ spec }] = podsOf(manifests) as [Pods];
      const { volumeMounts = [] } = spec.containers[0]!;
      expect(volumeMounts.map(({ mountPath }) => mountPath)).toEqual(['/tmp', '/var/spool/customer-data']);
      expect(spec.volumes!.map(({ name }) => name)).toEqual(['temporary', 'spool']);
    });

    test.each(overlays)('has a SANDBOX that the service refuses with the settings of overlays/%s', (overlay) => {
      const { data } = ofKind<IConfigMap>(render(`overlays/${overlay}`), 'ConfigMap').find(({ metadata }) =>
        metadata.name.startsWith('customer-data-settings-'),
      )!;
      const start = () => settingsWith({ ...data!, SANDBOX: 'true' }, FILLED_IN);
      for (const name of ['DATABASE_URL', 'JWT_SECRET', 'REDIS_URL', 'SANDBOX']) expect(start).toThrow(`${name} must`);
    });
  });
});

const ALL_KINDS = [
  'ConfigMap',
  'CronJob',
  'Deployment',
  'HorizontalPodAutoscaler',
  'Ingress',
  'Job',
  'NetworkPolicy',
  'PodDisruptionBudget',
  'Secret',
  'Service',
];

const FILLED_IN = {
  DATABASE_URL: 'mysql://customer_data:secret@db.example.com:3306/customer_data',
  DATABASE_REPLICA_URLS: 'mysql://customer_data:secret@replica.example.com:3306/customer_data',
  REDIS_URL: 'rediss://:secret@redis.example.com:6379/0',
  JWT_SECRET: 'a-secret-that-is-long-enough-for-tests',
};

/** The settings of the service for the data of a ConfigMap and mounted secrets. */
function settingsWith(
  data: Record<string, string>,
  secrets: Record<string, string>,
  options?: { signing: boolean },
): Settings {
  const folder = mkdtempSync(join(tmpdir(), 'customer-data-secrets-'));
  try {
    for (const [name, value] of Object.entries(secrets)) writeFileSync(join(folder, name), value);
    const env = Object.entries(data).map(([name, value]) => [name, value.replace(SECRETS, folder)]);
    return readSettings(Object.fromEntries(env) as Record<string, string>, options);
  } finally {
    rmSync(folder, { recursive: true });
  }
}
