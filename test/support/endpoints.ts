import { setTimeout as sleep } from 'node:timers/promises';
import type { IngressNginx } from './ingress-nginx.js';
import type { Replica } from './replicas.js';

const EVERY_MS = 1000;

/**
 * Simulates Kubernetes and an ingress controller: queries the readiness of every pod each second, and updates nginx
 * when it changes. Kubernetes itself is stricter with a pod that it stops: it removes the endpoint at once, whatever
 * /readyz returns.
 */
export class Endpoints {
  /** The time at which each pod was removed from nginx, in milliseconds since 1970. */
  readonly removedAt = new Map<Replica, number>();
  private readonly failures = new Map<Replica, number>();
  private readonly ready = new Set<Replica>();
  private readonly done: Promise<void>;
  private stopping = false;

  /** @param probe the timeout of a probe, and the number of consecutive failures that make a pod not ready */
  constructor(
    private readonly nginx: IngressNginx,
    private readonly probe: { timeoutSeconds?: number; failureThreshold?: number },
    pods: readonly Replica[],
  ) {
    for (const pod of pods) {
      this.failures.set(pod, 0);
      this.ready.add(pod);
    }
    this.done = this.run();
  }

  /** Adds a pod. Resolves when nginx sends requests to it. */
  async add(pod: Replica): Promise<void> {
    this.failures.set(pod, 0);
    while (!this.ready.has(pod)) await sleep(50);
  }

  async stop(): Promise<void> {
    this.stopping = true;
    await this.done;
  }

  private async run(): Promise<void> {
    for (; !this.stopping; await sleep(EVERY_MS)) {
      const before = [...this.ready];
      await Promise.all([...this.failures.keys()].map((pod) => this.check(pod)));
      const now = [...this.ready];
      if (now.length && (now.length !== before.length || now.some((pod) => !before.includes(pod))))
        this.nginx.sendTo(now.map(({ url }) => url));
      for (const pod of before) if (!this.ready.has(pod)) this.removedAt.set(pod, Date.now());
    }
  }

  private async check(pod: Replica): Promise<void> {
    const { timeoutSeconds, failureThreshold } = this.probe;
    const signal = AbortSignal.timeout(timeoutSeconds! * 1000);
    const ready = await fetch(`${pod.managementUrl}/readyz`, { signal }).then(
      ({ ok }) => ok,
      () => false,
    );
    const failures = ready ? 0 : this.failures.get(pod)! + 1;
    this.failures.set(pod, failures);
    if (ready) this.ready.add(pod);
    else if (failures >= failureThreshold!) this.ready.delete(pod);
  }
}
