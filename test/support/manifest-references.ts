import type { IServiceMonitor } from '@kubernetes-models/prometheus-operator/monitoring.coreos.com/v1';
import type { IDeployment } from 'kubernetes-models/apps/v1';
import type { IHorizontalPodAutoscaler } from 'kubernetes-models/autoscaling/v2';
import type { IIngress, INetworkPolicy } from 'kubernetes-models/networking.k8s.io/v1';
import type { IPodDisruptionBudget } from 'kubernetes-models/policy/v1';
import type { IContainer, IService } from 'kubernetes-models/v1';
import { type Labels, type Manifest, ofKind, type Pods, podsOf, titleOf } from './manifests.js';

/** Returns every reference to a missing object, which no schema can detect. */
export function brokenReferences(manifests: readonly Manifest[]): string[] {
  const pods = podsOf(manifests);
  return [
    ...pods.flatMap((one) => [...missingObjects(one, manifests), ...wrongMounts(one), ...wrongProbes(one)]),
    ...ofKind<IDeployment>(manifests, 'Deployment').flatMap(wrongDeployment),
    ...ofKind<IService>(manifests, 'Service').flatMap((service) => wrongService(service, pods)),
    ...ofKind<IIngress>(manifests, 'Ingress').flatMap((ingress) => wrongIngress(ingress, manifests)),
    ...ofKind<IPodDisruptionBudget>(manifests, 'PodDisruptionBudget').flatMap((budget) =>
      selecting(titleOf(budget), budget.spec?.selector?.matchLabels, pods),
    ),
    ...ofKind<INetworkPolicy>(manifests, 'NetworkPolicy').flatMap((policy) => wrongPolicy(policy, pods)),
    ...ofKind<IHorizontalPodAutoscaler>(manifests, 'HorizontalPodAutoscaler').flatMap((scaler) =>
      wrongAutoscaler(scaler, manifests),
    ),
    ...ofKind<IServiceMonitor>(manifests, 'ServiceMonitor').flatMap((monitor) => wrongMonitor(monitor, manifests)),
  ];
}

function missingObjects({ owner, spec }: Pods, manifests: readonly Manifest[]): string[] {
  const fromEnvironment = containersOf(spec).flatMap(({ env = [], envFrom = [] }) => [
    ...envFrom.map((one) => one.configMapRef ?? one.secretRef),
    ...env.flatMap(({ valueFrom }) => valueFrom?.configMapKeyRef ?? []),
  ]);
  if (spec.containers.some(({ env }) => env)) return [`${owner}: settings belong to the ConfigMap, not to env`];
  const wanted = [
    ...fromEnvironment.map((reference) => ['ConfigMap', reference?.name] as const),
    ...(spec.volumes ?? []).flatMap(({ configMap, secret, persistentVolumeClaim }) => [
      ...(configMap && !configMap.optional ? [['ConfigMap', configMap.name] as const] : []),
      ...(secret && !secret.optional ? [['Secret', secret.secretName] as const] : []),
      ...(persistentVolumeClaim ? [['PersistentVolumeClaim', persistentVolumeClaim.claimName] as const] : []),
    ]),
  ];
  return wanted
    .filter(([kind, name]) => !manifests.some((one) => creates(one.kind) === kind && one.metadata.name === name))
    .map(([kind, name]) => `${owner}: there is no ${kind} ${name}`);
}

/** An ExternalSecret creates a Secret of its own name. */
const creates = (kind: string) => (kind === 'ExternalSecret' ? 'Secret' : kind);

const containersOf = ({ initContainers = [], containers }: Pods['spec']) => [...initContainers, ...containers];

function wrongMounts({ owner, spec }: Pods): string[] {
  const mounted = containersOf(spec).flatMap(({ volumeMounts = [] }) => volumeMounts.map(({ name }) => name));
  return differences(
    mounted,
    (spec.volumes ?? []).map(({ name }) => name),
  ).map((name) => `${owner}: volume ${name} is not both declared and mounted`);
}

function wrongProbes({ owner, spec }: Pods): string[] {
  return spec.containers.flatMap((container) =>
    [container.startupProbe, container.livenessProbe, container.readinessProbe]
      .filter((probe) => probe && !portNames([container]).includes(`${probe.httpGet?.port}`))
      .map((probe) => `${owner}: a probe uses port ${probe?.httpGet?.port}, which has no such name`),
  );
}

function wrongDeployment(deployment: Manifest & IDeployment): string[] {
  const { selector, template } = deployment.spec!;
  const labels = (template.metadata?.labels ?? {}) as Labels;
  const spread = (template.spec?.topologySpreadConstraints ?? []).map(
    ({ labelSelector }) => labelSelector?.matchLabels,
  );
  return [selector.matchLabels, ...spread]
    .filter((wanted) => !matches(wanted, labels))
    .map((wanted) => `${titleOf(deployment)}: its own pods have no labels ${JSON.stringify(wanted)}`);
}

function wrongService(service: Manifest & IService, pods: readonly Pods[]): string[] {
  const { selector, ports = [] } = service.spec!;
  const selected = pods.filter(({ labels }) => matches(selector, labels));
  const owners = selected.map(({ owner }) => owner.split(' ')[0]);
  if (owners.join() !== 'Deployment')
    return [`${titleOf(service)}: selects pods of ${owners.join(', ') || 'no object'}`];
  return ports
    .filter(({ targetPort }) => !portNames(selected[0]!.spec.containers).includes(`${targetPort}`))
    .map(({ targetPort }) => `${titleOf(service)}: pods have no port ${targetPort}`);
}

function wrongIngress(ingress: Manifest & IIngress, manifests: readonly Manifest[]): string[] {
  const paths = (ingress.spec?.rules ?? []).flatMap(({ http }) => http?.paths ?? []);
  return paths
    .map(({ backend }) => backend.service)
    .filter((target) => {
      const service = ofKind<IService>(manifests, 'Service').find(({ metadata }) => metadata.name === target?.name);
      return !service?.spec?.ports?.some(
        ({ name, targetPort }) => name === target?.port?.name && targetPort === 'http',
      );
    })
    .map((target) => `${titleOf(ingress)}: Service ${target?.name} has no public port ${target?.port?.name}`);
}

function wrongPolicy(policy: Manifest & INetworkPolicy, pods: readonly Pods[]): string[] {
  const { podSelector, ingress = [] } = policy.spec!;
  const names = portNames(
    pods.filter(({ labels }) => matches(podSelector?.matchLabels, labels)).flatMap(({ spec }) => spec.containers),
  );
  return [
    ...selecting(titleOf(policy), podSelector?.matchLabels, pods),
    ...ingress
      .flatMap(({ ports = [] }) => ports)
      .filter(({ port }) => !names.includes(`${port}`))
      .map(({ port }) => `${titleOf(policy)}: pods have no port ${port}`),
  ];
}

function wrongAutoscaler(scaler: Manifest & IHorizontalPodAutoscaler, manifests: readonly Manifest[]): string[] {
  const { kind, name } = scaler.spec!.scaleTargetRef;
  const target = ofKind<IDeployment>(manifests, kind).find(({ metadata }) => metadata.name === name);
  if (!target) return [`${titleOf(scaler)}: there is no ${kind} ${name}`];
  if (target.spec!.replicas !== undefined) return [`${titleOf(target)}: replicas are the autoscaler's`];
  return target
    .spec!.template.spec!.containers.filter(({ resources }) => resources?.requests?.cpu === undefined)
    .map((container) => `${titleOf(scaler)}: container ${container.name} requests no CPU`);
}

function wrongMonitor(monitor: Manifest & IServiceMonitor, manifests: readonly Manifest[]): string[] {
  const { selector, endpoints } = monitor.spec!;
  const services = ofKind<IService>(manifests, 'Service').filter(({ metadata }) =>
    matches(selector.matchLabels, metadata.labels ?? {}),
  );
  if (services.length !== 1) return [`${titleOf(monitor)}: selects ${services.length} Services`];
  return endpoints
    .filter(({ port }) => !services[0]!.spec!.ports!.some(({ name }) => name === port))
    .map(({ port }) => `${titleOf(monitor)}: ${titleOf(services[0]!)} has no port ${port}`);
}

function selecting(title: string, wanted: Labels | undefined, pods: readonly Pods[]): string[] {
  return pods.some(({ labels }) => matches(wanted, labels)) ? [] : [`${title}: selects no pods`];
}

/** An empty selector would match everything, which no manifest here intends. */
function matches(wanted: Labels | undefined, labels: Labels): boolean {
  const pairs = Object.entries(wanted ?? {});
  return pairs.length > 0 && pairs.every(([name, value]) => labels[name] === value);
}

function portNames(containers: readonly IContainer[]): string[] {
  return containers.flatMap(({ ports = [] }) => ports.map(({ name }) => name ?? ''));
}

function differences(some: readonly string[], others: readonly string[]): string[] {
  return [...some.filter((one) => !others.includes(one)), ...others.filter((one) => !some.includes(one))];
}
