import { validate } from 'dockerfile-utils';
import type { IDeployment } from 'kubernetes-models/apps/v1';
import type { INetworkPolicy } from 'kubernetes-models/networking.k8s.io/v1';
import { chownSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { Container } from '../support/container.js';
import { describeAsRoot, describeWith } from '../support/describe-with.js';
import { freePort } from '../support/free-port.mjs';
import { Image } from '../support/image.js';
import { brokenReferences } from '../support/manifest-references.js';
import { schemaProblems } from '../support/manifest-schema.js';
import { type Manifest, ofKind, podsOf, render } from '../support/manifests.js';
import { until } from '../support/until.js';

const SOURCE = resolve(__dirname, '../../deploy/docs-site');
const dockerfile = readFileSync(join(SOURCE, 'Dockerfile'), 'utf8');

describeWith('kubectl', 'overlays/docs-site', () => {
  let manifests: Manifest[];
  beforeAll(() => void (manifests = render('overlays/docs-site')));

  test('matches the schemas of Kubernetes', async () => {
    expect(await schemaProblems(manifests)).toEqual([]);
  }, 120_000);

  test('has no broken reference', () => {
    expect(brokenReferences(manifests)).toEqual([]);
    const kinds = ['Namespace', 'Deployment', 'Service', 'Ingress', 'PodDisruptionBudget', 'NetworkPolicy'];
    expect(manifests.map(({ kind }) => kind).toSorted()).toEqual(kinds.toSorted());
  });

  test('gives pods no privileges, a read-only root file system and one image with a fixed tag', () => {
    const [{ spec }] = podsOf(manifests) as [ReturnType<typeof podsOf>[0]];
    expect([spec.automountServiceAccountToken, spec.securityContext]).toEqual([
      false,
      { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } },
    ]);
    const [container] = spec.containers;
    expect(container!.securityContext).toEqual({
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    });
    expect(container!.image).toMatch(/:(?!latest$)[\w.-]+$/);
    expect(Object.keys(container!.resources!.limits!)).toEqual(['memory']);
  });

  test('probes the port of the image and removes a pod only when another is ready', () => {
    const { strategy, template } = ofKind<IDeployment>(manifests, 'Deployment')[0]!.spec!;
    expect(strategy!.rollingUpdate).toEqual({ maxSurge: 1, maxUnavailable: 0 });
    const { ports, readinessProbe } = template.spec!.containers[0]!;
    expect(ports).toEqual([{ name: 'http', containerPort: Number(/^EXPOSE (\d+)$/m.exec(dockerfile)![1]) }]);
    expect(readinessProbe!.httpGet).toEqual({ path: '/', port: 'http' });
  });

  test('admits only the ingress controller, and lets pods connect to nothing', () => {
    const { policyTypes, ingress, egress } = ofKind<INetworkPolicy>(manifests, 'NetworkPolicy')[0]!.spec!;
    expect([policyTypes, egress]).toEqual([['Ingress', 'Egress'], undefined]);
    expect(ingress).toEqual([
      {
        from: [{ namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'ingress-nginx' } } }],
        ports: [{ port: 'http' }],
      },
    ]);
  });
});

test('the Dockerfile of the site builds without warnings and sets a numeric user other than root', () => {
  expect(validate(dockerfile).map(({ range, message }) => `${range.start.line + 1}: ${message}`)).toEqual([]);
  expect(dockerfile).toMatch(/^USER [1-9]\d*:[1-9]\d*$/m);
});

// The test mounts layers and starts a process 1 in its own root.
describeAsRoot('the image of the site', () => describeWith('nginx', 'with nginx', imageTests));

function imageTests(): void {
  let folder: string;
  let image: Image;
  let container: Container;
  let url: string;
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'customer-data-docs-image-'));
    const [context, volume] = [join(folder, 'context'), join(folder, 'volume')];
    const port = await freePort();
    cpSync(SOURCE, context, { recursive: true, filter: (path) => !path.startsWith(join(SOURCE, 'html')) });
    // The test has a writable folder at /mnt, and other tests may use the port 8080.
    const configuration = readFileSync(join(SOURCE, 'nginx.conf'), 'utf8');
    const changed = configuration.replaceAll('/tmp/', '/mnt/').replace('listen 8080', `listen 127.0.0.1:${port}`);
    writeFileSync(join(context, 'nginx.conf'), changed);
    mkdirSync(join(context, 'html/assets'), { recursive: true });
    const files = {
      'index.html': 'index',
      '404.html': 'missing',
      'assets/app.js': '// script\n'.repeat(1000),
      'sync.sh': '#!',
    };
    for (const [name, text] of Object.entries(files)) writeFileSync(join(context, 'html', name), text);
    image = await Image.build(dockerfile, context);
    mkdirSync(volume);
    const [user, group] = image.user.split(':').map(Number);
    chownSync(folder, user!, group!);
    chownSync(volume, user!, group!);
    container = image.run({}, undefined, volume);
    url = `http://127.0.0.1:${port}`;
    await until(
      () => `nginx starts: ${container.output}`,
      async () => (await fetch(url).catch(() => undefined))?.ok,
    );
  });
  afterAll(async () => {
    await container?.kill();
    image?.remove();
    rmSync(folder, { recursive: true, force: true });
  });

  test('runs read-only as its user and serves the files of the site', async () => {
    const status = readFileSync(`/proc/${container.pid}/status`, 'utf8');
    expect(status).toMatch(new RegExp(`^Uid:\t${image.user.split(':')[0]}\t`, 'm'));
    expect(readFileSync(`/proc/${container.pid}/mounts`, 'utf8')).toMatch(/^overlay \/ overlay ro,/m);
    const response = await fetch(url);
    expect([await response.text(), response.headers.get('Content-Type')]).toEqual([
      'index',
      'text/html; charset=utf-8',
    ]);
    expect(response.headers.get('Cache-Control')).toBe('no-cache');
    expect(response.headers.get('X-Content-Type-Options')).toBe('nosniff');
    expect((await fetch(`${url}/sync.sh`)).status).toBe(200);
  });

  test('lets browsers keep the files whose names change with their content, and compresses them', async () => {
    const response = await fetch(`${url}/assets/app.js`);
    expect(response.headers.get('Cache-Control')).toBe('public, max-age=31536000, immutable');
    expect(response.headers.get('Content-Encoding')).toBe('gzip');
  });

  test('returns the page 404.html with status 404 for an unknown path', async () => {
    const response = await fetch(`${url}/unknown.html`);
    expect([response.status, await response.text()]).toEqual([404, 'missing']);
  });

  test('exits with 0 on SIGQUIT, the signal of its base image', async () => {
    expect(await container.stop('SIGQUIT')).toBe(0);
  });
}
