import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { freePort } from './free-port.mjs';
import { until } from './until.js';

/** The settings in deploy/base/ingress.yaml for one of the two controllers, as nginx values. */
export interface IngressOptions {
  buffering: string;
  bufferSize: string;
  readTimeout: string;
  connectTimeout: string;
  bodySize: string;
}

/** A request in the log of nginx. */
export interface LoggedCall {
  request: string;
  status: number;
  /** The end of the request, in milliseconds since 1970. */
  at: number;
  /** The replicas that received the request, in order. */
  upstreams: string[];
  /** The status of each of these replicas. */
  upstreamStatuses: string[];
}

/**
 * An nginx in front of the replicas, configured like the two nginx controllers, which differ little. Both use HTTP/1.1
 * to the pods and keep idle connections for 60 s: the community's controller up to 320, F5's as many as the annotation
 * states. If a pod is unreachable or breaks the connection before its response begins, they send the request to the
 * next pod, except for a POST that may have arrived. New endpoints cause a reload, as in F5's controller. The
 * community's controller has its own balancer for endpoints and never closes a client's connection because of them.
 */
export class IngressNginx {
  private readonly folder = mkdtempSync(join(tmpdir(), 'customer-data-nginx-'));
  private child?: ChildProcess;

  private constructor(
    private readonly port: number,
    private readonly options: IngressOptions,
  ) {}

  /**
   * @param program the path of nginx
   * @param replicas the addresses to send requests to
   */
  static async start(program: string, options: IngressOptions, replicas: readonly string[]): Promise<IngressNginx> {
    const nginx = new IngressNginx(await freePort(), options);
    nginx.configure(replicas);
    nginx.child = spawn(program, ['-p', nginx.folder, '-c', 'nginx.conf', '-e', 'error.log'], { stdio: 'ignore' });
    await until(
      () => `nginx starts: ${nginx.errors}`,
      async () => (await fetch(`${nginx.url}/api/version`).catch(() => undefined))?.ok,
    );
    return nginx;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  /** Sends new requests to these replicas. Open requests stay at their replica. */
  sendTo(replicas: readonly string[]): void {
    this.configure(replicas);
    this.child!.kill('SIGHUP');
  }

  get calls(): LoggedCall[] {
    const lines = readFileSync(join(this.folder, 'access.log'), 'utf8').split('\n').filter(Boolean);
    return lines.map((line) => {
      const { seconds, upstreams, upstreamStatuses, ...rest } = JSON.parse(line);
      return { ...rest, at: seconds * 1000, upstreams: list(upstreams), upstreamStatuses: list(upstreamStatuses) };
    });
  }

  /** The error log of nginx. */
  get errors(): string {
    return readFileSync(join(this.folder, 'error.log'), 'utf8');
  }

  async stop(): Promise<void> {
    if (this.child && this.child.exitCode === null) {
      this.child.kill();
      await once(this.child, 'exit');
    }
    rmSync(this.folder, { recursive: true, force: true });
  }

  private configure(replicas: readonly string[]): void {
    const { buffering, bufferSize, readTimeout, connectTimeout, bodySize } = this.options;
    const servers = replicas.map((url) => `server ${new URL(url).host} max_fails=1 fail_timeout=10s;`);
    const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];
    writeFileSync(
      join(this.folder, 'nginx.conf'),
      `
daemon off;
user ${userInfo().username};
pid nginx.pid;
error_log error.log warn;
worker_processes 2;
worker_shutdown_timeout 240s;
events { worker_connections 1024; }
http {
  ${temporary.map((kind) => `${kind}_temp_path ${kind};`).join(' ')}
  log_format calls escape=json '{"request":"$request","status":$status,"seconds":$msec,'
    '"upstreams":"$upstream_addr","upstreamStatuses":"$upstream_status"}';
  access_log access.log calls;
  keepalive_timeout 75s;
  upstream replicas {
    ${servers.join('\n    ')}
    keepalive 320;
    keepalive_timeout 60s;
    keepalive_requests 10000;
  }
  server {
    listen 127.0.0.1:${this.port};
    client_max_body_size ${bodySize};
    # For the test to know which replica answers.
    add_header X-Upstream $upstream_addr;
    location / {
      proxy_pass http://replicas;
      proxy_http_version 1.1;
      proxy_set_header Connection "";
      proxy_set_header Host $http_host;
      proxy_connect_timeout ${connectTimeout};
      proxy_read_timeout ${readTimeout};
      proxy_send_timeout 60s;
      proxy_buffering ${buffering};
      proxy_buffer_size ${bufferSize};
      proxy_buffers 8 ${bufferSize};
      proxy_next_upstream error timeout;
      proxy_next_upstream_tries 3;
    }
  }
}
`,
    );
  }
}

/** Splits a variable of nginx with the values of several upstreams. */
const list = (text: string) => text.split(/, | : /);
